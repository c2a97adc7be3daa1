#!/usr/bin/env python3
"""heddle predict on real programs: from one passing run to executed predictions."""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from cli_case import DONE, FOUND, KERNELS, USAGE, CliCase  # noqa: E402

ANNOTATED = os.environ["ANNOTATED"]
SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "kernels"


class Predict(CliCase):
    def predict(self, code, kernel, *words, program="kernel"):
        return self.document(code, "predict", "--quiet", "--out", self.folder, *words, "--", KERNELS / kernel / program)

    def lines(self, anomaly):
        return [access["line"] for access in anomaly["accesses"]]

    def line_of(self, kernel, text):
        """The only line of the kernel's source with this text."""
        source = (SOURCES / kernel / "kernel.cpp").read_text().splitlines()
        found = [number for number, line in enumerate(source, 1) if text in line]
        self.assertEqual(len(found), 1, text)
        return found[0]

    def test_figure_1_leads_to_its_error(self):
        report = self.predict(FOUND, "PECAN-Figure1")
        self.assertIsNone(report["recorded_run"])
        # 2 if (x), 3 if (y), 5 x=1, 6 x=0, 7 y=1. The first trace, one thread after the other, does not contain 3.
        two, three, five, six, seven = (self.line_of("PECAN-Figure1", text) for text in (
            "if (saving_) {", "if (saved_) ", "saving_ = true;", "    saving_ = false;", "    saved_ = true;"))
        races = {tuple(sorted(self.lines(anomaly))): anomaly["failure"] for anomaly in report["anomalies"]
                 if anomaly["kind"] == "data_race" and anomaly["status"] == "confirmed"}
        for pair in ((two, five), (two, six), (three, seven)):
            self.assertIn(tuple(sorted(pair)), races)
        self.assertEqual(races[tuple(sorted((three, seven)))]["kind"], "assert")
        failing = [anomaly for anomaly in report["anomalies"] if anomaly["failure"]]
        self.assertTrue(failing)
        for anomaly in failing:
            self.assertEqual(anomaly["status"], "confirmed")
            self.assertEqual(anomaly["failure"]["kind"], "assert")
            self.assertEqual(self.document(DONE, "replay", "--times", 3, anomaly["clip"])["reproduced_runs"], 3)

    def test_figure_5_has_its_race_and_its_twin_has_none(self):
        v3, v8 = (self.line_of("PECAN-Figure5", text) for text in ("address_.port = address.port;",
                                                                   "Address address{address_.host"))
        def races(program):
            report = self.predict(FOUND if program == "kernel" else DONE, "PECAN-Figure5", program=program)
            return {tuple(sorted(self.lines(a))) for a in report["anomalies"] if a["kind"] == "data_race"}
        self.assertIn((v3, v8), races("kernel"))
        self.assertEqual(races("fixed"), set())

    def test_what_the_first_trace_does_not_contain_is_reached(self):
        # MergeSort: the branch that leads to the failure is taken only when a read comes before a write.
        # Tsp: in the first trace one worker does everything.
        for kernel, kind in (("MergeSort", "abort"), ("Tsp", "assert")):
            with self.subTest(kernel):
                report = self.predict(FOUND, kernel)
                self.assertGreater(report["orders_tried"], 0)
                self.assertIn(kind, {a["failure"]["kind"] for a in report["anomalies"] if a["failure"]})

    def test_other_places_of_the_same_lines_are_executed(self):
        report = self.predict(FOUND, "MySQL-21587")
        self.assertTrue(any(a["failure"] for a in report["anomalies"]))

    def test_a_notify_may_come_too_early(self):
        report = self.predict(FOUND, "Jigsaw-missed-notification")
        self.assertIn(("lost_wakeup", "lost_wakeup"),
                      {(a["kind"], a["failure"]["kind"]) for a in report["anomalies"] if a["failure"]})

    def test_a_deadlock_is_executed(self):
        report = self.predict(FOUND, "SyncList-deadlock")
        self.assertIn("deadlock", {a["failure"]["kind"] for a in report["anomalies"] if a["failure"]})

    def test_only_what_was_executed_is_reported(self):
        report = self.predict(FOUND, "AGet-MultVar")
        self.assertEqual({anomaly["status"] for anomaly in report["anomalies"]}, {"confirmed"})
        self.assertEqual(len(report["anomalies"]), report["confirmed"])

    def test_repaired_twins_do_not_fail(self):
        for kernel in ("BankAcct", "PECAN-Figure1"):
            with self.subTest(kernel):
                self.assertEqual(self.predict(DONE, kernel, program="fixed")["failing"], 0)

    def test_known_findings_make_no_error(self):
        baseline = self.folder / "known"
        self.predict(FOUND, "BankAcct", "--save-baseline", baseline)
        self.predict(DONE, "BankAcct", "--baseline", baseline)

    def test_what_is_ignored_is_not_reported(self):
        rules = self.folder / "ignore"
        rules.write_text("# all of it\nfile: *\n")
        report = self.predict(DONE, "BankAcct", "--ignore", rules)
        self.assertEqual(report["anomalies"], [])
        self.assertGreater(report["ignored"], 0)

    def test_a_region_that_is_meant_to_be_atomic_is_a_unit(self):
        report = self.document(DONE, "predict", "--quiet", "--out", self.folder, "--", ANNOTATED)
        broken = [anomaly for anomaly in report["anomalies"] if anomaly["unit"] == "region"]
        self.assertTrue(broken, report)
        for anomaly in broken:
            self.assertEqual((anomaly["kind"], anomaly["status"]), ("multi_variable", "confirmed"))

    def test_a_race_that_is_said_to_be_benign_is_not_reported(self):
        source = pathlib.Path(__file__).with_name("annotated.cpp").read_text().splitlines()
        line = {word: 1 + next(i for i, text in enumerate(source) if word in text)
                for word in ("last_amount = amount", "unmarked = amount")}
        report = self.document(DONE, "predict", "--quiet", "--out", self.folder, "--", ANNOTATED)
        reported = {at for anomaly in report["anomalies"] for at in self.lines(anomaly)}
        self.assertIn(line["unmarked = amount"], reported)
        self.assertNotIn(line["last_amount = amount"], reported)
        self.assertGreater(report["ignored"], 0)

    def test_bad_input(self):
        rules = self.folder / "ignore"
        rules.write_text("everything\n")
        self.refused(USAGE, "predict", "--ignore", rules, "--", KERNELS / "BankAcct/kernel")
        std = self.folder / "bad.std"
        std.write_text("T1|r(x)|1\nT1|nonsense|2\n")
        self.refused(USAGE, "predict", "--trace", std)
        self.refused(USAGE, "predict")


if __name__ == "__main__":
    unittest.main()
