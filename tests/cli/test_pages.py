#!/usr/bin/env python3
"""Man pages and shell completion are generated from the tool, so each verb has them."""
import os
import pathlib
import re
import subprocess
import unittest

from cli_case import HEDDLE

PAGES = pathlib.Path(os.environ["PAGES"])


def verbs():
    text = subprocess.run([HEDDLE, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.findall(r"^  ([a-z]+)\s{2,}\S", text, flags=re.M)


def completed(*words):
    script = (f"source {PAGES}/bash-completion/completions/heddle; COMP_WORDS=({' '.join(words)}); "
              f"COMP_CWORD={len(words) - 1}; _heddle; echo \"${{COMPREPLY[@]}}\"")
    return subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, text=True, check=True).stdout.split()


class Pages(unittest.TestCase):
    def test_every_verb_has_a_man_page(self):
        for verb in verbs():
            text = (PAGES / f"man/man1/heddle-{verb}.1").read_text()
            self.assertIn(".SH SYNOPSIS", text)
            self.assertIn(".SH EXIT STATUS", text)
        self.assertIn("\\-\\-time", (PAGES / "man/man1/heddle-hunt.1").read_text())

    def test_verbs_and_options_are_completed(self):
        self.assertEqual(completed("heddle", "hun"), ["hunt"])
        self.assertIn("--junit", completed("heddle", "hunt", "--j"))
        self.assertEqual(completed("heddle", "hunt", "--", "./prog", "--j"), [])


if __name__ == "__main__":
    unittest.main()
