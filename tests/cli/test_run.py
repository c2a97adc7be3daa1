#!/usr/bin/env python3
import json
import pathlib
import signal
import subprocess
import unittest

from cli_case import DONE, FAKE_PROGRAM, FOUND, HEDDLE, CliCase


class Run(CliCase):
    def test_a_passing_run(self):
        report = self.document(DONE, "run", "--seed", 9, "--", FAKE_PROGRAM)
        self.assertEqual(report["outcome"]["kind"], "ok")
        self.assertEqual(report["threads"], 4)
        self.assertEqual(report["switches"], 4)
        self.assertEqual(report["seed"], 9)
        self.assertIsNone(report["clip"])
        for key in ("events", "seconds", "event_hash", "uninstrumented"):
            self.assertIn(key, report)

    def test_one_seed_is_one_run(self):
        hashes = [self.document(DONE, "run", "--seed", seed, "--", FAKE_PROGRAM)["event_hash"] for seed in (1, 1, 2)]
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_failures_and_their_signatures(self):
        for arguments, kind in ((["assert"], "assert"), (["deadlock"], "deadlock"), (["segv"], "signal"),
                                (["exit", "5"], "exit")):
            with self.subTest(kind):
                report = self.document(FOUND, "run", "--", FAKE_PROGRAM, *arguments)
                self.assertEqual(report["outcome"]["kind"], kind)
                self.assertTrue(report["outcome"]["signature"].startswith(kind))
        self.assertEqual(report["outcome"]["exit_code"], 5)

    def test_a_deadlock_names_the_holder_of_each_object(self):
        report = self.document(FOUND, "run", "--", FAKE_PROGRAM, "deadlock")
        by_name = {thread["thread"]: thread for thread in report["threads_at_end"]}
        self.assertEqual(by_name["0.1"]["held_by"], "0.2")
        self.assertEqual(by_name["0.2"]["waits_for"], "lock")
        self.assertGreater(by_name["0.2"]["stack"][0]["line"], 0)

    def test_the_programs_output_is_its_own(self):
        done = self.heddle("run", "--", FAKE_PROGRAM, "print", "hello")
        self.assertEqual(done.stdout, "hello\n")
        done = self.heddle("run", "--json", "--", FAKE_PROGRAM, "print", "hello")
        self.assertEqual(json.loads(done.stdout)["outcome"]["kind"], "ok")
        self.assertIn("hello", done.stderr)

    def test_what_stands_after_the_dashes_is_the_programs(self):
        done = self.heddle("run", "--", FAKE_PROGRAM, "print", "--json")
        self.assertEqual(done.stdout, "--json\n")

    def test_a_clip_and_a_trace_are_written_where_asked(self):
        clip, trace = self.folder / "c.clip", self.folder / "t.htrace"
        report = self.document(FOUND, "run", "--clip", clip, "--record", trace, "--", FAKE_PROGRAM, "assert")
        self.assertEqual(report["clip"], str(clip))
        self.assertEqual(report["trace"], str(trace))
        head = json.loads(clip.read_text().splitlines()[0])
        self.assertEqual(head["program"], str(pathlib.Path(FAKE_PROGRAM).resolve()))
        self.assertGreater(trace.stat().st_size, 0)

    def test_a_command_may_decide_what_a_failure_is(self):
        words = ("--", FAKE_PROGRAM, "print", "corrupted")
        report = self.document(FOUND, "run", "--fails-if", "grep -q corrupted", *words)
        self.assertEqual(report["outcome"]["kind"], "predicate")
        self.document(DONE, "run", "--fails-if", "grep -q other", *words)

    def test_input_comes_from_a_file(self):
        source = self.folder / "input"
        source.write_text("line\n")
        self.assertEqual(self.heddle("run", "--stdin", source, "--", FAKE_PROGRAM, "cat").stdout, "line\n")
        with source.open() as stdin:
            self.assertEqual(self.heddle("run", "--", FAKE_PROGRAM, "cat", stdin=stdin).stdout, "line\n")

    def test_time_is_bounded(self):
        report = self.document(FOUND, "run", "--timeout", "200ms", "--", FAKE_PROGRAM, "spin")
        self.assertEqual(report["outcome"]["kind"], "timeout")

    def test_an_interrupt_keeps_what_was_recorded(self):
        trace = self.folder / "t.htrace"
        running = subprocess.Popen([HEDDLE, "run", "--json", "--record", str(trace), "--", FAKE_PROGRAM, "sleep"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        children = pathlib.Path(f"/proc/{running.pid}/task/{running.pid}/children")
        while not children.read_text().split():
            pass
        stat = pathlib.Path(f"/proc/{children.read_text().split()[0]}/stat")
        while "S" not in stat.read_text().rpartition(")")[2][:3]:
            pass
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=60)
        self.assertEqual(running.returncode, -signal.SIGINT)
        self.assertEqual(json.loads(out)["threads"], 4)
        self.assertEqual(self.document(DONE, "trace", "info", trace)["switches"], 4)


if __name__ == "__main__":
    unittest.main()
