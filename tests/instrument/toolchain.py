"""Shared by the tests that build and run programs: the drivers of a prefix whose runtime only counts, the plain
compiler to compare with, and the counting runtime's report."""
import collections
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
PREFIX = pathlib.Path(os.environ["HEDDLE_TEST_PREFIX"])
CLANG = os.environ["HEDDLE_TEST_CLANG"]
HEDDLE_CC = str(PREFIX / "bin/heddle-cc")
HEDDLE_CXX = str(PREFIX / "bin/heddle-c++")
LIBRARY_DIR = PREFIX / "lib/heddle"

READ, WRITE, ATOMIC_READ, ATOMIC_WRITE, ATOMIC_UPDATE, FENCE, RANGE_READ, RANGE_WRITE = range(1, 9)

Run = collections.namedtuple("Run", "stdout report")


class ToolchainTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def call(self, *command, expect=0, env=None, **options):
        """Runs a command in the scratch directory; a failing test shows the command that repeats it."""
        command = [str(word) for word in command]
        done = subprocess.run(command, cwd=self.scratch, text=True, capture_output=True,
                              env=dict(os.environ, **(env or {})), **options)
        self.assertEqual(done.returncode, expect, f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        return done

    def run_program(self, *command, armed=True, env=None):
        """Runs an instrumented program and reads what its runtime has counted."""
        report = self.scratch / "report.json"
        report.unlink(missing_ok=True)
        variables = {"HEDDLE_TEST_REPORT": str(report), **(env or {})}
        if armed:
            variables["HEDDLE_TEST_ARM"] = "1"
        done = self.call(*command, env=variables)
        return Run(done.stdout, json.loads(report.read_text()))

    def assert_sound(self, report):
        """Every row has a byte of its own, every function one more, and the two sections hold nothing else."""
        for module in report["modules"]:
            self.assertEqual(module["misplaced_bytes"], 0)
            self.assertEqual(module["rows"] + module["function_bytes"], module["armed_bytes"])


def hits(report, kinds=range(1, 9)):
    return sum(site["hits"] for site in report["sites"] if site["kind"] in kinds)


def rows(report, function):
    return [site for site in report["sites"] if site["function"] == function]
