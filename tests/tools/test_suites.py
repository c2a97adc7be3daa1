#!/usr/bin/env python3
"""The suites of other projects (bench/suites/): which tests of libstdc++ run and how, and what an outcome counts as."""
import pathlib
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))

from sections import suites  # noqa: E402
from suites import classify, trials  # noqa: E402
from suites.libstdcxx import plan_of  # noqa: E402
from suites.run_suites import Measured  # noqa: E402


class Directives(unittest.TestCase):
    def test_a_test_without_a_standard_is_compiled_as_c_17(self):
        self.assertEqual(plan_of('// { dg-do run { target c++11 } }\n// { dg-require-gthreads "" }'), ["-std=gnu++17"])

    def test_options_and_libraries_are_taken(self):
        text = ('// { dg-options "-std=gnu++2a" }\n// { dg-do run { target c++2a } }\n// { dg-add-options libatomic }\n'
                '// { dg-additional-options "-pthread" { target pthread } }')
        self.assertEqual(plan_of(text), ["-std=gnu++2a", "-latomic", "-pthread"])

    def test_what_is_only_compiled_does_not_run(self):
        self.assertIsNone(plan_of("// { dg-do compile { target c++11 } }"))

    def test_a_test_of_a_newer_standard_than_its_own_does_not_run(self):
        self.assertIsNone(plan_of("// { dg-do run { target c++20 } }"))
        self.assertIsNone(plan_of("// { dg-do run { target { c++11_only || c++14_only } } }"))

    def test_an_expected_failure_does_not_run(self):
        self.assertIsNone(plan_of('// { dg-do run }\n// { dg-xfail-run-if "cannot catch" { *-*-* } }'))

    def test_options_for_another_system_are_left_out(self):
        text = '// { dg-do run }\n// { dg-additional-options "-mt" { target *-*-solaris* } }'
        self.assertEqual(plan_of(text), ["-std=gnu++17"])


def run_that(code, left=False, errors=""):
    return trials.Ended(code, 0.1, "", errors, left)


class Outcomes(unittest.TestCase):
    def test_a_run_that_passes_and_leaves_processes_behind_differs(self):
        self.assertEqual(trials.judged(run_that(0), {"kind": "ok"})[0], trials.SAME)
        self.assertEqual(trials.judged(run_that(0, left=True), {"kind": "ok"})[0], trials.DIFFERS)

    def test_exit_code_3_is_a_refusal_with_its_message(self):
        outcome = {"kind": "uncontrolled", "message": "aio_read is not under Heddle's control"}
        self.assertEqual(trials.judged(run_that(3), outcome), (trials.REFUSED, outcome["message"]))

    def test_the_reason_of_an_exit_is_what_the_test_said_last(self):
        run = run_that(1, errors="begin\nTest FAILED at 0x7f12: 123456 ns\nheddle: exit 1\n")
        self.assertEqual(trials.judged(run, {"kind": "exit", "exit_code": 1}),
                         (trials.DIFFERS, "exits with 1: Test FAILED at N: N ns"))

    def test_a_run_that_does_not_end_is_a_time_out(self):
        self.assertEqual(trials.judged(run_that(None), {"kind": "no JSON"})[0], trials.TIMED_OUT)
        self.assertEqual(trials.judged(run_that(1), {"kind": "timeout", "message": ""})[0], trials.TIMED_OUT)

    def test_processes_that_a_run_leaves_are_ended(self):
        run = trials.ended(["sh", "-c", "sleep 600 & echo $!"], 60)
        self.assertTrue(run.left)
        for _ in range(1000):
            state = subprocess.run(["ps", "-o", "stat=", run.output.strip()], stdout=subprocess.PIPE, text=True).stdout
            if not state.strip() or state.startswith("Z"):
                return
            time.sleep(0.01)
        self.fail(f"process {run.output.strip()} still runs")


SAME = {"verdict": trials.SAME, "reason": ""}
WRONG = {"verdict": trials.DIFFERS, "reason": "deadlock: main | waits"}
PASSES = [{"code": 0}]


class Table(unittest.TestCase):
    entries = {
        "broken": {"not_built_natively": "no such header"},
        "fails": {"native": [{"code": 0}, {"code": 1}]},
        "timed": {"native": PASSES, "runs": {"fiber pct": WRONG}},
        "right": {"native": PASSES, "runs": {"fiber pct": SAME, "thread pct": SAME}},
        "wrong": {"native": PASSES, "runs": {"fiber pct": SAME, "thread pct": WRONG}},
    }

    def test_each_test_has_one_state(self):
        states = [classify.state_of(entry, name == "timed") for name, entry in self.entries.items()]
        self.assertEqual(states, [classify.NOT_BUILT_NATIVELY, classify.FAILS_NATIVELY, classify.LEFT_OUT, trials.SAME,
                                  trials.DIFFERS])

    def test_the_section_counts_and_names_what_differs_and_what_is_left_out(self):
        text = suites.section_of([Measured("The Suite", self.entries, {"timed": "measures a second"}, 9)])
        self.assertIn("| The Suite | 5 of 9 | 1 | 1 | 1 | 2 | 1 | 1 | 0 | 0 | 0 |", text)
        self.assertIn("| The Suite: as natively | 1 of 2 | >= 99 % |", text)
        self.assertIn(r"| wrong | differs | deadlock: main \| waits | thread engine |", text)
        self.assertIn("| timed | measures a second |", text)


unittest.main()
