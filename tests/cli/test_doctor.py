#!/usr/bin/env python3
import unittest

from cli_case import DONE, UNCONTROLLED, CliCase


class Doctor(CliCase):
    def test_every_missing_ability_has_its_cost(self):
        done = self.heddle("doctor", "--json")
        self.assertIn(done.returncode, (DONE, UNCONTROLLED))
        report = self.document(done.returncode, "doctor")
        names = {ability["name"] for ability in report["abilities"]}
        self.assertLessEqual({"memfd_create", "personality", "syscall_user_dispatch", "fsgsbase", "perf_counters",
                              "gdb", "ptrace", "clang-19", "runtime", "plugin"}, names)
        for ability in report["abilities"]:
            self.assertEqual(ability["cost"] is None, ability["available"])
        missing = [a for a in report["abilities"] if a["required"] and not a["available"]]
        self.assertEqual(report["usable"], not missing)
        self.assertEqual(done.returncode, DONE if report["usable"] else UNCONTROLLED)


if __name__ == "__main__":
    unittest.main()
