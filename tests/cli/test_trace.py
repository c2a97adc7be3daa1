#!/usr/bin/env python3
import json
import random
import unittest

from cli_case import DONE, FAKE_PROGRAM, FOUND, UNCONTROLLED, USAGE, CliCase


class Trace(CliCase):
    def record(self, seed=1):
        trace = self.folder / f"{seed}.htrace"
        self.document(DONE, "run", "--seed", seed, "--record", trace, "--", FAKE_PROGRAM, "events", 20000)
        return trace

    def test_info_counts(self):
        info = self.document(DONE, "trace", "info", self.record())
        self.assertEqual(info["events_by_kind"]["write"], 20000)
        self.assertEqual(info["switches"], 4)
        self.assertEqual(info["preemptions"], 2)
        self.assertEqual(info["threads"], 4)
        self.assertEqual(info["problems"], [])
        self.assertIsNone(info["failure"])

    def test_dump_prints_a_line_for_each_event(self):
        done = self.heddle("trace", "dump", "--first", 3, "--count", 10, self.record())
        self.assertEqual(done.returncode, DONE)
        self.assertEqual(len(done.stdout.splitlines()), 10)

    def test_export(self):
        trace = self.record()
        perfetto, std = self.folder / "out.json", self.folder / "out.std"
        self.assertEqual(self.heddle("trace", "export", "--format", "perfetto", "-o", perfetto, trace).returncode, DONE)
        self.assertTrue(json.loads(perfetto.read_text()))
        self.assertEqual(self.heddle("trace", "export", "--format", "std", "-o", std, trace).returncode, DONE)
        self.assertTrue(all(line.count("|") == 2 for line in std.read_text().splitlines()))

    def test_an_export_that_fails_overwrites_nothing(self):
        kept = self.folder / "kept.std"
        kept.write_text("precious")
        self.refused(USAGE, "trace", "export", "--format", "std", "-o", kept, self.folder / "missing")
        self.assertEqual(kept.read_text(), "precious")

    def test_diff(self):
        one, other = self.record(1), self.record(2)
        self.assertTrue(self.document(DONE, "trace", "diff", one, one)["equal"])
        self.assertEqual(self.document(FOUND, "trace", "diff", one, other)["first_difference"]["step"], 2)

    def test_flow_is_only_recorded_of_a_program_that_emits_it(self):
        self.refused(UNCONTROLLED, "run", "--record", self.folder / "t.htrace", "--flow", "--", FAKE_PROGRAM, "events",
                     10)
        self.refused(USAGE, "run", "--record", self.folder / "t.htrace", "--flow", "--values", "--", FAKE_PROGRAM,
                     "events", 10)

    def test_a_run_that_has_not_failed_has_no_slice(self):
        self.refused(USAGE, "trace", "slice", self.record())

    def test_a_trace_without_flow_has_no_slice(self):
        trace = self.folder / "failed.htrace"
        self.document(FOUND, "run", "--record", trace, "--", FAKE_PROGRAM, "assert")
        self.assertEqual(self.document(DONE, "trace", "info", trace)["failure"], "assert")
        self.refused(USAGE, "trace", "slice", trace)

    def test_a_trace_cut_short_reads_as_a_prefix(self):
        content = self.record().read_bytes()
        cut = self.folder / "cut.htrace"
        for size in sorted(random.Random(5).sample(range(len(content) // 2, len(content) - 1), 10)):
            cut.write_bytes(content[:size])
            with self.subTest(size=size):
                done = self.heddle("trace", "info", "--json", cut)
                info = json.loads(done.stdout)
                self.assertEqual(done.returncode, DONE)
                self.assertEqual(len(info["problems"]), 1)
                self.assertEqual(info["steps"], info["events"])

    def test_a_trace_with_flipped_bits_is_never_taken_for_whole(self):
        content = self.record().read_bytes()
        damaged = self.folder / "damaged.htrace"
        choose = random.Random(7)
        for _ in range(100):
            position, bit = choose.randrange(len(content)), choose.randrange(8)
            damaged.write_bytes(content[:position] + bytes([content[position] ^ 1 << bit]) + content[position + 1:])
            with self.subTest(position=position, bit=bit):
                done = self.heddle("trace", "info", "--json", damaged)
                self.assertIn(done.returncode, (DONE, USAGE), done.stderr)
                if done.returncode == DONE:  # damage at the end is a trace that was cut short
                    self.assertEqual(len(json.loads(done.stdout)["problems"]), 1)


if __name__ == "__main__":
    unittest.main()
