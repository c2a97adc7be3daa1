#!/usr/bin/env python3
import unittest

from cli_case import DONE, FAKE_PROGRAM, FOUND, CliCase


class Check(CliCase):
    def test_a_deterministic_program(self):
        report = self.document(DONE, "check", "--", FAKE_PROGRAM)
        self.assertTrue(report["deterministic"])
        self.assertIsNone(report["first_difference"])

    def test_a_program_that_differs_from_run_to_run(self):
        report = self.document(FOUND, "check", "--", FAKE_PROGRAM, "random-hash")
        self.assertFalse(report["deterministic"])
        self.assertIn("step", report["first_difference"])

    def test_the_first_differing_event_is_named(self):
        report = self.document(FOUND, "check", "--", FAKE_PROGRAM, "random-event")
        difference = report["first_difference"]
        self.assertEqual(difference["fields"], ["value"])
        self.assertEqual(difference["first"]["thread"], "0")


if __name__ == "__main__":
    unittest.main()
