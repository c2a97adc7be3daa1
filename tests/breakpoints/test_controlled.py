#!/usr/bin/env python3
"""Breakpoints under Heddle's scheduler hold in every schedule, without waiting. usage: HEDDLE FOLDER_OF_PROGRAMS"""
import json
import os
import subprocess
import sys
import time
import unittest

HEDDLE, FOLDER = sys.argv[1:3]
SEEDS = range(1, 6)


def run(seed, program, *arguments, strategy="random"):
    command = [HEDDLE, "run", "--json", "--quiet", "--strategy", strategy, "--seed", str(seed), "--env",
               "HEDDLE_BREAKPOINTS=on", "--", os.path.join(FOLDER, f"bp_{program}_controlled"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    try:
        return json.loads(done.stdout), done
    except ValueError:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


class Controlled(unittest.TestCase):
    def test_the_order_holds_at_every_hit(self):
        for seed in SEEDS:
            report, done = run(seed, "order", "50")
            self.assertEqual(report["outcome"]["kind"], "ok", done.stderr)

    def test_crossed_locks_deadlock_in_every_schedule(self):
        for seed in SEEDS:
            report, _ = run(seed, "endings", "deadlock")
            self.assertEqual(report["outcome"]["kind"], "deadlock")

    def test_also_when_threads_run_one_after_the_other(self):
        report, _ = run(1, "endings", "deadlock", strategy="sequential")
        self.assertEqual(report["outcome"]["kind"], "deadlock")

    def test_a_time_out_of_years_takes_no_time(self):
        begin = time.monotonic()
        report, _ = run(1, "endings", "wrong_pair")
        self.assertEqual(report["outcome"]["kind"], "ok")
        self.assertLess(time.monotonic() - begin, 30)

    def test_required_ones_count(self):
        report, _ = run(1, "endings", "required_half")
        self.assertEqual(report["outcome"]["kind"], "exit")

    def test_a_predicate_may_have_a_place(self):
        for seed in SEEDS:
            report, done = run(seed, "endings", "inside_predicate")
            self.assertEqual(report["outcome"]["kind"], "ok", done.stderr)

    def test_a_run_is_a_function_of_its_seed(self):
        for seed in SEEDS:
            hashes = {run(seed, "order", "10")[0]["event_hash"] for _ in range(2)}
            self.assertEqual(len(hashes), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
