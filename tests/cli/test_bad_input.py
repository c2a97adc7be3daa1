#!/usr/bin/env python3
"""Bad input is refused in one line with exit code 2 or 3, and nothing is overwritten."""
import json
import os
import random
import unittest

from cli_case import FAKE_PROGRAM, UNCONTROLLED, USAGE, CliCase


class BadInput(CliCase):
    def test_unknown_commands(self):
        for words in (["frobnicate"], ["run"], ["run", "--"], ["run", "--strategy", "magic", "--", "true"],
                      ["run", "--timeout", "soon", "--", FAKE_PROGRAM], ["run", "--env", "X", "--", FAKE_PROGRAM],
                      ["run", "--engine", "steam", "--", FAKE_PROGRAM], ["run", "--seed", "x", "--", FAKE_PROGRAM],
                      ["run", "--values", "--", FAKE_PROGRAM], ["run", "--flow", "--", FAKE_PROGRAM], ["replay"],
                      ["trace"], ["trace", "info"]):
            with self.subTest(words):
                self.refused(USAGE, *words)

    def test_a_program_that_cannot_be_run(self):
        plain = self.folder / "plain.txt"
        plain.write_text("text")
        for program in ("/nonexistent/program", "no-such-program-in-path", self.folder, plain):
            with self.subTest(program):
                self.refused(USAGE, "run", "--", program)
        self.refused(USAGE, "run", "--cwd", self.folder / "missing", "--", FAKE_PROGRAM)
        self.refused(USAGE, "run", "--stdin", self.folder / "missing", "--", FAKE_PROGRAM)

    def test_a_program_that_is_not_instrumented(self):
        self.refused(UNCONTROLLED, "run", "--", "/bin/true")
        self.refused(UNCONTROLLED, "check", "--", "/bin/true")
        self.refused(UNCONTROLLED, "run", "--", FAKE_PROGRAM, "never-attach")

    def test_a_program_of_another_version(self):
        outcome = self.document(UNCONTROLLED, "run", "--", os.environ["OTHER_VERSION"])["outcome"]
        self.assertIn("another version", outcome["message"])

    def test_an_output_that_cannot_be_written(self):
        for option in ("--clip", "--record"):
            self.refused(USAGE, "run", option, self.folder, "--", FAKE_PROGRAM)
            self.refused(USAGE, "run", option, self.folder / "no" / "such", "--", FAKE_PROGRAM)

    def test_a_refused_run_overwrites_nothing(self):
        kept = self.folder / "kept.clip"
        kept.write_text("precious")
        self.refused(UNCONTROLLED, "run", "--clip", kept, "--record", self.folder / "t.htrace", "--", "/bin/true")
        self.assertEqual(kept.read_text(), "precious")
        self.assertFalse((self.folder / "t.htrace").exists())

    def test_a_file_that_is_not_a_clip(self):
        for name, content in (("empty.clip", b""), ("noise.clip", bytes(range(256))), ("json.clip", b"{}\n")):
            path = self.folder / name
            path.write_bytes(content)
            with self.subTest(name):
                self.refused(USAGE, "replay", path)
                self.refused(USAGE, "debug", path)
        self.refused(USAGE, "replay", self.folder / "missing.clip")
        self.refused(USAGE, "replay", self.folder)

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_a_clip_that_may_not_be_read(self):
        clip = self.failing_clip()
        clip.chmod(0)
        self.refused(USAGE, "replay", clip)

    def test_a_clip_cut_at_any_byte(self):
        content = self.failing_clip().read_bytes()
        cut = self.folder / "cut.clip"
        lines_end = len(content.rstrip(b"\n"))
        for size in sorted(random.Random(3).sample(range(lines_end), 40)):
            cut.write_bytes(content[:size])
            with self.subTest(size=size):
                self.refused(USAGE, "replay", cut)

    def test_a_file_that_is_not_a_trace(self):
        for name, content in (("empty.htrace", b""), ("noise.htrace", bytes(range(256)) * 20)):
            path = self.folder / name
            path.write_bytes(content)
            for words in (["info", path], ["dump", path], ["export", "--format", "std", path], ["diff", path, path]):
                with self.subTest(words):
                    self.refused(USAGE, "trace", *words)
        self.refused(USAGE, "trace", "info", self.folder)
        self.refused(USAGE, "trace", "info", self.folder / "missing")

    def test_with_json_an_error_is_a_document_too(self):
        done = self.heddle("run", "--json", "--", "/nonexistent/program")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("error", json.loads(done.stdout))


if __name__ == "__main__":
    unittest.main()
