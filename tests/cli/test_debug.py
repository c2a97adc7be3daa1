#!/usr/bin/env python3
"""gdb on a clip of a kernel. What gdb finds out is written to files by its own Python, so that no printed text is read."""
import json
import unittest

from cli_case import FOUND, KERNELS, CliCase

AT_FAILURE = """
import json
names = []
frame = gdb.newest_frame()
while frame is not None:
    names.append(frame.name() or "")
    frame = frame.older()
threads = read_threads()
with open({path!r}, "w") as out:
    json.dump({{"frames": names, "threads": sorted(descent(threads, thread) for thread in threads)}}, out)
"""

SWITCHES = """
import json
hits = []
for _ in range(3):
    gdb.execute("heddle next-switch")
    hits.append(int(gdb.parse_and_eval("heddle_debug_thread_count")))
gdb.execute("heddle threads")
gdb.execute("run")
with open({path!r}, "w") as out:
    json.dump({{"threads_at_switches": hits, "frame_after_rerun": gdb.newest_frame().name()}}, out)
"""


class Debug(CliCase):
    def clip_of_kernel(self):
        clip = self.folder / "failure.clip"
        for seed in range(1, 200):
            done = self.heddle("run", "--quiet", "--seed", seed, "--clip", clip, "--", KERNELS / "BankAcct" / "kernel")
            if done.returncode == FOUND:
                return clip
        self.fail("the kernel did not fail")

    def debug(self, script, *options):
        answer, commands = self.folder / "answer.json", self.folder / "commands.py"
        commands.write_text(script.format(path=str(answer)))
        done = self.heddle("debug", self.clip_of_kernel(), *options, "--batch", "-x", commands)
        self.assertTrue(answer.exists(), done.stdout + done.stderr)
        return json.loads(answer.read_text())

    def test_it_stops_right_before_the_failure(self):
        answer = self.debug(AT_FAILURE)
        self.assertIn("heddle_debug_failure", answer["frames"])
        self.assertGreater(len(answer["threads"]), 1)
        self.assertEqual(answer["threads"][0], "0")
        self.assertEqual(answer["threads"][1], "0.1")

    def test_switches_can_be_followed_and_the_run_repeated(self):
        answer = self.debug(SWITCHES, "--from-start")
        self.assertEqual(len(answer["threads_at_switches"]), 3)
        self.assertGreater(answer["threads_at_switches"][-1], 1)
        self.assertEqual(answer["frame_after_rerun"], "heddle_debug_failure")


if __name__ == "__main__":
    unittest.main()
