#!/usr/bin/env python3
"""Explains failures of six kernels: the kind of the cause, at least two threads, and no line that the kernel does not
list; and of a program that can be sliced."""
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
COMPILER = os.environ["COMPILER"]


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

    def variables(self, kernel):
        report = json.loads(heddle("explain", "--json", self.clip_of(kernel)).stdout)
        return report["cause"]["text"], report["cause"]["accesses"]

    def test_names_a_local_of_main_by_its_members(self):
        text, accesses = self.variables("Moz-jsStr")
        self.assertEqual({access["variable"] for access in accesses},
                         {"main::runtime.total_strings", "main::runtime.length_sum"}, text)
        self.assertEqual({lock for access in accesses for lock in access["locks"]}, {"main::runtime.mutex"}, text)

    def test_distinguishes_elements_of_one_vector(self):
        text, accesses = self.variables("SyncList-deadlock")
        self.assertEqual({access["variable"] for access in accesses},
                         {"main::lists[0]->titles_.mutex_", "main::lists[1]->titles_.mutex_"}, text)

    def test_names_globals_with_their_members(self):
        text, accesses = self.variables("logging-deadlock")
        self.assertEqual({access["variable"] for access in accesses}, {"class_mutex", "manager.mutex_"}, text)

    def test_names_what_is_waited_for(self):
        text, accesses = self.variables("pool")
        waited_for = {access["variable"] for access in accesses if access["access"] == "wait"}
        self.assertEqual(waited_for, {"main::pool.available_"}, text)

    def test_names_elements_of_a_deque(self):
        text, accesses = self.variables("Account")
        self.assertEqual(len({access["variable"] for access in accesses}), 1, text)
        self.assertRegex(accesses[0]["variable"], r"^main::accounts\[\d\]\.amount_$")

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


class Sliced(unittest.TestCase):
    """A program that records the flow of its values: only accesses to the account with the wrong balance matter."""

    def test_marks_what_the_failure_depends_on(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program = folder / "program"
            subprocess.run([COMPILER, "-std=c++20", "-O1", "-g", "-UNDEBUG", SOURCES / "Account" / "kernel.cpp", "-o",
                            program,
                            "-pthread"], check=True, env={**os.environ, "HEDDLE_HOOKS": "branches"}, timeout=240)
            found = heddle("explore", "--json", "--out", folder, "--", program)
            clip = json.loads(found.stdout)["failures"][0]["clip"]
            report = json.loads(heddle("explain", "--json", clip).stdout)
            text = heddle("explain", clip).stdout
        self.assertLess(0, report["slice"]["relevant"])
        self.assertLess(report["slice"]["relevant"], report["slice"]["events"])
        events = [step for step in report["steps"] if step["step"] == "event"]
        self.assertTrue(all(step["relevant"] for step in events if step["in_cause"]), events)
        amounts = {}
        for step in events:
            if step["line"] in (27, 32, 37, 38) and step["action"] in ("read", "write"):
                amounts.setdefault(step["variable"], set()).add(step["relevant"])
        self.assertIn({True}, amounts.values(), amounts)
        self.assertIn({False}, amounts.values(), amounts)
        self.assertIn("+ write", text)


def add_test(kernel):
    setattr(Explained, "test_" + kernel.replace("-", "_"), lambda self: self.check(kernel))


for name in os.environ["EXPLAINED_KERNELS"].split(","):
    add_test(name)

if __name__ == "__main__":
    unittest.main()
