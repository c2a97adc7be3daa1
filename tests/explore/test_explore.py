#!/usr/bin/env python3
"""heddle explore on real programs."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from cli_case import DONE, FOUND, HEDDLE, KERNELS, USAGE, CliCase  # noqa: E402
from count_schedules import count_schedules  # noqa: E402

COUNTED = os.environ["COUNTED"]
BODIES = os.environ["BODIES"]
PREFIXED = os.environ["PREFIXED"]
SERVED_RUNS = os.environ["SERVED_RUNS"]


class Bounded(CliCase):
    def search(self, *words):
        report = self.document(DONE, "explore", "--quiet", "--jobs", 1, "--runs", 100000, *words)
        return report["exhaustive"]

    def test_counts_are_exact(self):
        for kind, count in (("separate", 2), ("common", 1), ("common", 3), ("locked", 1), ("locked", 2)):
            for bound in (0, 1, 2):
                with self.subTest(kind=kind, bound=bound):
                    found = self.search("--strategy", "preemptions", "--bound", bound, "--no-prune", "--", COUNTED,
                                        kind, count)
                    self.assertEqual(found["schedules"], count_schedules(kind, count, bound))
                    self.assertEqual(found["preemptions_max"], bound)

    def test_without_a_bound_all_are_run(self):
        found = self.search("--strategy", "dfs", "--no-prune", "--", COUNTED, "common", 1)
        self.assertEqual(found["schedules"], count_schedules("common", 1, 1000))
        self.assertTrue(found["complete"])

    def test_equivalent_schedules_are_not_repeated(self):
        for kind, count in (("common", 2), ("locked", 2)):
            with self.subTest(kind):
                words = ("--strategy", "preemptions", "--bound", 2, "--", COUNTED, kind, count)
                pruned = self.document(DONE, "explore", "--quiet", "--jobs", 1, *words)
                whole = self.document(DONE, "explore", "--quiet", "--jobs", 1, "--no-prune", "--runs", 100000, *words)
                self.assertLess(pruned["exhaustive"]["schedules"], whole["exhaustive"]["schedules"])
                self.assertEqual(pruned["distinct_schedules"], whole["distinct_schedules"])



class Checkpoints(CliCase):
    def search(self, holds, *words):
        """Explores a program with a long prefix, which holds the resource `holds` when its threads meet."""
        file = self.folder / "file"
        file.write_text("one\ntwo\n")
        report = self.document(DONE, "explore", "--quiet", "--jobs", 1, "--strategy", "preemptions", "--bound", 1,
                               "--arm", "all", *words, "--", PREFIXED, holds, file, 70000)
        self.assertGreater(report["schedules"], 5)
        return report

    def test_what_cannot_be_copied_is_run_from_the_start(self):
        for holds in ("pipe", "child", "written"):
            with self.subTest(holds):
                report = self.search(holds)
                self.assertEqual(report["steps"]["saved_by_checkpoints"], 0)
                self.assertEqual(report["schedules"], self.search(holds, "--no-checkpoints")["schedules"])

    def test_siblings_have_their_own_places_in_files(self):
        # Each reads on from where the prefix stopped, whatever its siblings have read.
        report = self.search("read")
        self.assertGreater(report["steps"]["saved_by_checkpoints"], report["steps"]["executed"])
        self.assertEqual(report["schedules"], self.search("read", "--no-checkpoints")["schedules"])

    def test_what_is_recorded_is_the_same_in_every_copy(self):
        compared = subprocess.run([SERVED_RUNS, f"{KERNELS}/LinkedList/fixed", "4", "10", "10"], capture_output=True,
                                  text=True)
        self.assertEqual(compared.returncode, 0, compared.stderr)

    def test_they_change_nothing_but_the_steps(self):
        words = ("--strategy", "preemptions", "--bound", 1, "--arm", "all", "--", BODIES, 100000)
        with_them = self.document(DONE, "explore", "--quiet", "--jobs", 1, *words)
        without = self.document(DONE, "explore", "--quiet", "--jobs", 1, "--no-checkpoints", *words)
        for key in ("schedules", "distinct_schedules", "exhaustive"):
            self.assertEqual(with_them[key], without[key])
        self.assertLess(with_them["steps"]["executed"] * 5, without["steps"]["executed"])


class Search(CliCase):
    def explore(self, code, kernel, *words):
        return self.document(code, "explore", "--quiet", "--out", self.folder, *words, "--",
                             KERNELS / kernel / "kernel")

    def test_one_seed_gives_one_result_whatever_the_jobs(self):
        reports = [self.explore(FOUND, "StringBuf", "--seed", 3, "--jobs", jobs) for jobs in (1, 2, 2)]
        found = [[(f["schedule_index"], f["signature"], f["strategy"]) for f in r["failures"]] for r in reports]
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[1], found[2])

    def test_keep_going_groups_by_signature(self):
        report = self.explore(FOUND, "PBZip2-Order", "--keep-going", "--runs", 400)
        signatures = [failure["signature"] for failure in report["failures"]]
        self.assertEqual(len(signatures), len(set(signatures)))
        self.assertEqual(report["schedules"], 400)
        self.assertGreater(sum(failure["count"] for failure in report["failures"]), len(signatures))
        for failure in report["failures"]:
            self.assertEqual(self.document(DONE, "replay", "--times", 3, failure["clip"])["reproduced_runs"], 3)

    def test_every_strategy_finds_a_simple_bug(self):
        for strategy in ("random", "pct", "pos", "surw", "preemptions", "delays", "dfs"):
            with self.subTest(strategy):
                report = self.explore(FOUND, "BankAcct", "--strategy", strategy)
                self.assertEqual(report["failures"][0]["kind"], "assert")

    def test_a_search_without_a_failure_says_what_it_is_worth(self):
        report = self.document(DONE, "explore", "--quiet", "--runs", 300, "--", KERNELS / "BankAcct/fixed")
        self.assertEqual(report["failures"], [])
        self.assertGreater(report["pct_bound"], 0)
        self.assertGreaterEqual(report["exhaustive"]["preemptions_max"], 0)
        self.assertGreater(report["distinct_schedules"], 1)

    def test_the_thread_engine(self):
        self.explore(FOUND, "BankAcct", "--engine", "thread", "--runs", 60)

    def test_an_interrupt_leaves_what_was_found(self):
        process = subprocess.Popen([HEDDLE, "explore", "--json", "--keep-going", "--jobs", "2", "--time", "60s",
                                    "--out", self.folder,
                                    "--", KERNELS / "PBZip2-Order/kernel"], stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL,
                                   stdin=subprocess.DEVNULL)
        self.wait_for_a_clip()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, -signal.SIGINT)
        report = json.loads(output)
        self.assertTrue(report["interrupted"])
        self.assertGreater(report["schedules"], 0)
        self.assertEqual(report["jobs"], 2)
        self.assertTrue(report["failures"])
        for failure in report["failures"]:
            self.document(DONE, "replay", failure["clip"])

    def wait_for_a_clip(self):
        # Polls the directory until the file is there.
        for _ in range(1000):
            if list(self.folder.glob("*.clip")):
                return
            subprocess.run(["sleep", "0.03"], check=True)
        self.fail("no clip came")

    def test_a_user_predicate(self):
        report = self.document(FOUND, "explore", "--quiet", "--runs", 5, "--out", self.folder, "--fails-if", "true",
                               "--", KERNELS / "BankAcct/fixed")
        self.assertEqual(report["failures"][0]["kind"], "predicate")

    def test_bodies_are_repeated_inside_the_process(self):
        report = self.document(DONE, "explore", "--quiet", "--in-process", "--runs", 3000, "--", BODIES)
        self.assertEqual(report["schedules"], 3000)
        self.assertGreater(report["distinct_schedules"], 5)

    def test_each_repeated_body_has_the_whole_budget_of_steps(self):
        # One body takes about sixty steps, so the bodies of one process together take more than the budget of one.
        report = self.document(DONE, "explore", "--quiet", "--in-process", "--runs", 1000, "--steps-max", 300, "--",
                               BODIES)
        self.assertEqual(report["schedules"], 1000)

    def test_bad_input(self):
        self.refused(USAGE, "explore", "--", self.folder / "missing")
        self.refused(USAGE, "explore")
        self.refused(USAGE, "explore", "--runs", 0, "--", BODIES)
        self.refused(USAGE, "explore", "--strategy", "luck", "--", BODIES)
        self.refused(USAGE, "explore", "--time", "soon", "--", BODIES)


if __name__ == "__main__":
    unittest.main()
