#!/usr/bin/env python3
"""heddle predict on real programs: from one passing run to what was executed."""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from cli_case import DONE, FOUND, KERNELS, USAGE, CliCase  # noqa: E402

ANNOTATED = os.environ["ANNOTATED"]


class Predict(CliCase):
    def predict(self, code, kernel, *words, program="kernel"):
        return self.document(code, "predict", "--quiet", "--out", self.folder, *words, "--", KERNELS / kernel / program)

    def lines(self, anomaly):
        return [access["line"] for access in anomaly["accesses"]]

    def test_figure_1_leads_to_its_error(self):
        report = self.predict(FOUND, "PECAN-Figure1")
        self.assertIsNone(report["recorded_run"])
        failing = [anomaly for anomaly in report["anomalies"] if anomaly["failure"]]
        self.assertTrue(failing)
        for anomaly in failing:
            self.assertEqual(anomaly["status"], "confirmed")
            self.assertEqual(anomaly["failure"]["kind"], "assert")
            self.assertEqual(self.document(DONE, "replay", "--times", 3, anomaly["clip"])["reproduced_runs"], 3)

    def test_a_deadlock_is_executed(self):
        report = self.predict(FOUND, "SyncList-deadlock")
        self.assertIn("deadlock", {a["failure"]["kind"] for a in report["anomalies"] if a["failure"]})

    def test_only_what_was_executed_is_reported(self):
        report = self.predict(FOUND, "AGet-MultVar")
        self.assertEqual({anomaly["status"] for anomaly in report["anomalies"]}, {"confirmed"})
        self.assertEqual(len(report["anomalies"]), report["confirmed"])

    def test_repaired_twins_do_not_fail(self):
        for kernel in ("BankAcct", "PECAN-Figure1", "SyncList-deadlock"):
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
        line = {word: 1 + next(i for i, text in enumerate(source) if word in text) for word in ("last_amount = amount", "unmarked = amount")}
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
