#!/usr/bin/env python3
"""Explains failures of six kernels: the kind of the cause, at least two threads, and no line that the kernel does not list."""
import json
import os
import pathlib
import subprocess
import tempfile
import tomllib
import unittest

HEDDLE = os.environ["HEDDLE"]
KERNELS = pathlib.Path(os.environ["KERNELS"])
SOURCES = pathlib.Path(os.environ["KERNEL_SOURCES"])


def heddle(*words):
    return subprocess.run([HEDDLE, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=240)


class Explained(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def clip_of(self, kernel):
        found = heddle("explore", "--json", "--out", self.folder, "--", KERNELS / kernel / "kernel")
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
        return json.loads(found.stdout)["failures"][0]["clip"]

    def check(self, kernel):
        with open(SOURCES / kernel / "expect.toml", "rb") as file:
            expected = tomllib.load(file)
        done = heddle("explain", "--json", "--html", self.folder / "html", self.clip_of(kernel))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(done.stdout)
        accesses = report["cause"]["accesses"]
        self.assertEqual(report["cause"]["kind"], expected["cause_kind"], report["cause"]["text"])
        self.assertGreaterEqual(len({access["thread"] for access in accesses}), 2, report["cause"]["text"])
        self.assertLessEqual({access["line"] for access in accesses}, set(expected["lines"]), report["cause"]["text"])
        self.assertIn("failure", [step["step"] for step in report["steps"]])
        pages = {page.name for page in (self.folder / "html").glob("*.html")}
        self.assertIn("index.html", pages)
        self.assertEqual(len(pages), 2)


def add_test(kernel):
    setattr(Explained, "test_" + kernel.replace("-", "_"), lambda self: self.check(kernel))


for name in os.environ["EXPLAINED_KERNELS"].split(","):
    add_test(name)

if __name__ == "__main__":
    unittest.main()
