#!/usr/bin/env python3
"""How programs with breakpoints end: exit codes, diagnoses, statistics. usage: test_endings.py ENDINGS FIGURE4
[CASE...]"""
import os
import subprocess
import sys
import tempfile
import time
import unittest

ENDINGS, FIGURE4 = sys.argv[1:3]
NOT_HIT, STALLED = 85, 86


def run(*command, on=True, **environment):
    base = {key: value for key, value in os.environ.items() if not key.startswith("HEDDLE_")}
    if on:
        base["HEDDLE_BREAKPOINTS"] = "on"
    return subprocess.run(command, env={**base, **environment}, capture_output=True, text=True, timeout=60)


def statistics(text):
    rows = [line.split("\t")[1:] for line in text.splitlines() if line.startswith("heddle-breakpoint\t")]
    return {row[0]: {key: int(value) for key, value in (cell.split() for cell in row[1:])} for row in rows}


class Required(unittest.TestCase):
    def test_one_that_is_never_reached_fails_the_test(self):
        done = run(ENDINGS, "required_never_reached")
        self.assertEqual(done.returncode, NOT_HIT)
        self.assertIn("breakpoint never was not hit: none of its places was reached", done.stderr)
        self.assertEqual(done.stdout, "ended\n")  # what the program has printed is not lost

    def test_the_place_that_is_missing_is_named(self):
        done = run(ENDINGS, "required_half")
        self.assertEqual(done.returncode, NOT_HIT)
        self.assertIn("breakpoint half was not hit: place 1 was never reached", done.stderr)

    def test_different_objects_are_named(self):
        done = run(ENDINGS, "different_objects")
        self.assertEqual(done.returncode, NOT_HIT)
        self.assertIn("threads met 1 time, but with different objects", done.stderr)

    def test_one_that_is_hit_passes(self):
        done = run(ENDINGS, "required_met")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_one_whose_predicate_has_a_place_is_hit(self):
        done = run(ENDINGS, "inside_predicate")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ended\n", ""))

    def test_nothing_is_required_of_a_run_without_breakpoints(self):
        done = run(ENDINGS, "required_never_reached", on=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Stalls(unittest.TestCase):
    def test_a_deadlock_ends_with_a_diagnosis(self):
        done = run(ENDINGS, "deadlock")
        self.assertEqual(done.returncode, STALLED)
        self.assertIn("stalled", done.stderr)
        self.assertIn("breakpoint crossed was hit 1 time before", done.stderr)

    def test_a_stall_is_a_second_without_progress(self):
        for limit_ms, environment in ((1000, {}), (300, {"HEDDLE_BREAKPOINT_STALL_MS": "300"})):
            begin = time.monotonic()
            done = run(ENDINGS, "deadlock", **environment)
            self.assertEqual(done.returncode, STALLED)
            self.assertGreaterEqual(time.monotonic() - begin, limit_ms / 1000)
            self.assertIn(f"stalled: for {limit_ms} ms every thread has been waiting for another", done.stderr)

    def test_a_wait_without_a_partner_ends(self):
        done = run(ENDINGS, "wrong_pair")
        self.assertEqual((done.returncode, done.stdout), (0, "ended\n"))
        self.assertIn("breakpoint wrong, place 0 (", done.stderr)
        self.assertIn("every other thread is blocked", done.stderr)

    def test_a_guard_that_cannot_end_is_named(self):
        done = run(ENDINGS, "guard_too_long")
        self.assertEqual((done.returncode, done.stdout), (0, "ended\n"))
        self.assertIn("end its guard earlier", done.stderr)

    def test_sleeping_is_not_a_stall(self):
        done = run(ENDINGS, "sleeps")
        self.assertEqual((done.returncode, done.stdout), (0, "ended\n"))


class Statistics(unittest.TestCase):
    def test_they_are_counted_by_name(self):
        row = statistics(run(ENDINGS, "required_met", HEDDLE_BREAKPOINT_STATS="1").stderr)["met"]
        self.assertEqual(row, {"reached": 2, "postponed": 1, "hit": 1, "timed_out": 0, "refused": 0, "overrun": 0})

    def test_they_go_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "statistics")
            done = run(ENDINGS, "deadlock", HEDDLE_BREAKPOINT_STATS=path)
            self.assertEqual(done.returncode, STALLED)
            with open(path) as file:
                self.assertEqual(statistics(file.read())["crossed"]["hit"], 1)


class Figure4(unittest.TestCase):
    RUNS = 10

    def outcome(self, on):
        words = run(FIGURE4, str(self.RUNS), on=on).stdout.split()
        return int(words[1]), int(words[3])

    def test_with_the_breakpoint_every_run_ends_in_error(self):
        self.assertEqual(self.outcome(on=True), (self.RUNS, self.RUNS))

    def test_without_it_hardly_any_does(self):
        met, errors = self.outcome(on=False)
        self.assertEqual(met, 0)
        self.assertLess(errors, self.RUNS / 2)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
