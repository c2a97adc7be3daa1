#!/usr/bin/env python3
import json
import unittest

from cli_case import DONE, FAKE_PROGRAM, FOUND, UNCONTROLLED, CliCase


class Replay(CliCase):
    def test_a_clip_reproduces(self):
        clip = self.failing_clip()
        recorded = json.loads(clip.read_text().splitlines()[-1])
        report = self.document(DONE, "replay", "--times", 3, clip)
        self.assertEqual((report["runs"], report["reproduced_runs"]), (3, 3))
        self.assertEqual(report["verdict"], "reproduced")
        self.assertTrue(report["exact"])
        self.assertEqual(report["event_hash"], recorded["event_hash"])
        self.assertEqual(report["preemptions_met"], report["preemptions_total"])
        self.assertIsNone(report["divergence"])

    def test_a_reproduced_clip_is_not_fixed(self):
        self.document(FOUND, "replay", "--expect", "fixed", self.failing_clip())

    def test_a_clip_that_ends_otherwise_did_not_reproduce(self):
        clip = self.failing_clip()
        report = self.document(FOUND, "replay", clip, "--", FAKE_PROGRAM, "ok")
        self.assertEqual(report["verdict"], "no_verdict")
        self.assertEqual(report["reproduced_runs"], 0)

    def test_a_divergence_is_reported_in_full(self):
        clip = self.failing_clip()
        lines = clip.read_text().splitlines()
        # One run less than the program makes.
        for number, line in enumerate(lines):
            record = json.loads(line)
            if "runs" in record:
                width = len(record["runs"]) // 5
                lines[number] = json.dumps({"runs": record["runs"][:-width]})
        clip.write_text("\n".join(lines) + "\n")
        report = self.document(UNCONTROLLED, "replay", clip)
        self.assertEqual(report["divergence"]["step"], 3)
        self.assertEqual(report["verdict"], "no_verdict")

    def test_a_replay_can_be_recorded(self):
        trace = self.folder / "t.htrace"
        self.document(DONE, "replay", "--record", trace, self.failing_clip())
        self.assertEqual(self.document(DONE, "trace", "info", trace)["threads"], 4)


if __name__ == "__main__":
    unittest.main()
