#!/usr/bin/env python3
"""Breakpoints that libheddle_rt.so injects, and the conflicts of a run in both orders. usage: HEDDLE BUILD [CASE...]"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench"))
from sections import breakpoints  # noqa: E402

HEDDLE, BUILD = sys.argv[1], pathlib.Path(sys.argv[2])
STALLED = 86


def run(*command, **environment):
    base = {key: value for key, value in os.environ.items() if not key.startswith("HEDDLE_")}
    return subprocess.run([str(word) for word in command], env={**base, **environment}, capture_output=True, text=True,
                          timeout=240, stdin=subprocess.DEVNULL)


def document(*words):
    done = run(HEDDLE, *words)
    try:
        return json.loads(done.stdout), done
    except ValueError:
        raise AssertionError(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")


class Injection(unittest.TestCase):
    KERNEL = BUILD / "kernels/SyncList-deadlock/kernel"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        path = pathlib.Path(cls.folder.name)
        found, _ = document("explore", "--json", "--quiet", "--runs", 1000, "--seed", 1, "--out", path / "found", "--",
                            cls.KERNEL)
        cls.clip = found["failures"][0]["clip"]
        cls.file = path / "test.breakpoints"
        cls.report, cls.done = document("breakpoints", "--json", "--quiet", cls.clip, "-o", cls.file, "--runs", 5)

    def test_the_report_names_places_in_order(self):
        self.assertEqual(self.done.returncode, 0)
        self.assertEqual(self.report["count"], 1)
        rows = self.report["breakpoints"]
        self.assertEqual([row["first"] for row in rows], [True, False])
        self.assertEqual({row["name"] for row in rows}, {"kernel.1"})
        self.assertTrue(all(row["file"].endswith("kernel.cpp") and row["line"] > 0 for row in rows))
        self.assertEqual(self.report["file"], str(self.file))

    def test_the_program_alone_takes_them_from_the_environment(self):
        done = run(self.KERNEL, HEDDLE_BREAKPOINTS=str(self.file), HEDDLE_BREAKPOINT_STATS="1")
        self.assertEqual(done.returncode, STALLED, done.stderr)
        self.assertIn("hit 1", done.stderr)

    def test_a_native_run_takes_them(self):
        report, done = document("run", "--json", "--native", "--env", f"HEDDLE_BREAKPOINTS={self.file}", "--",
                                self.KERNEL)
        self.assertEqual((done.returncode, report["outcome"]["kind"]), (1, "exit"))

    def test_they_are_honoured_in_every_schedule_under_control(self):
        for words in (["sequential"], ["reverse"], *(["random", "--seed", seed] for seed in range(1, 9))):
            report, _ = document("run", "--json", "--quiet", "--env", f"HEDDLE_BREAKPOINTS={self.file}", "--strategy",
                                 *words, "--", self.KERNEL)
            self.assertEqual(report["outcome"]["kind"], "deadlock", words)

    def test_another_build_is_refused(self):
        done = run(BUILD / "kernels/StringBuf/kernel", HEDDLE_BREAKPOINTS=str(self.file))
        self.assertEqual(done.returncode, 3)
        self.assertIn("another build", done.stderr)


class Refusals(unittest.TestCase):
    KERNEL = BUILD / "kernels/StringBuf/kernel"

    def refused(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".breakpoints") as file:
            file.write(text)
            file.flush()
            done = run(self.KERNEL, HEDDLE_BREAKPOINTS=file.name)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        return done.stderr

    def test_what_is_no_such_file(self):
        self.assertIn("is not a file of breakpoints", self.refused("something else\n"))
        self.assertIn("has no breakpoints", self.refused("heddle-breakpoints 1\n# nothing\n"))
        self.assertIn("is damaged", self.refused("heddle-breakpoints 1\nreach\tx\t0\n"))
        self.assertIn("is damaged", self.refused("heddle-breakpoints 1\nfoo\tx\t0\t2\n"))

    def test_a_file_that_is_missing(self):
        done = run(self.KERNEL, HEDDLE_BREAKPOINTS="/nowhere/at.all")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1))

    def test_off_is_not_a_file_name(self):
        self.assertEqual(run(self.KERNEL, HEDDLE_BREAKPOINTS="off").returncode, 0)

    def test_usage(self):
        for words in (["breakpoints"], ["breakpoints", "--conflicts", "x.clip"], ["breakpoints", "/nowhere.clip"]):
            done = run(HEDDLE, *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


class Hunt(unittest.TestCase):
    def test_a_bug_comes_with_a_patch(self):
        with tempfile.TemporaryDirectory() as folder:
            report, _ = document("hunt", "--json", "--quiet", "--first", "--time", "20s", "--out", folder, "--",
                                 BUILD / "kernels/StringBuf/kernel")
            bug = report["bugs"][0]
            self.assertTrue(bug["patch"], bug["problems"])
            first, *rest = pathlib.Path(bug["patch"]).read_text().splitlines()
            self.assertTrue(first.startswith("Apply it with: patch -p1 -d "), first)
            self.assertIn("+#include <heddle/breakpoint.h>", rest)


class Conflicts(unittest.TestCase):
    """The table of section 5 of the paper, on its kernel, by the code that writes it into
    docs/evaluation/breakpoints.md."""
    RUNS = 2

    def test_the_table_of_log4j(self):
        _, rows = breakpoints.log4j_rows(BUILD, self.RUNS)
        for order, (failed, hit) in breakpoints.LOG4J_PAPER.items():
            self.assertEqual((rows[order]["failed"], rows[order]["hit"]), (failed, hit), (order, rows))
        self.assertEqual(rows[236, 309]["verdict"], "this order makes it fail")
        for order in ((309, 277), (277, 309)):
            self.assertEqual(rows[order]["verdict"], "fails without a hit: not this conflict")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
