#!/usr/bin/env python3
"""gdb on a clip. What gdb finds out is written to files by its own Python, and what the program was started with by the
program; of printed text only errors are read."""
import json
import os
import pathlib
import shutil
import unittest

from cli_case import FOUND, KERNELS, USAGE, CliCase

DEBUGGED = pathlib.Path(os.environ["DEBUGGED"])
DEBUGGED_PLAIN = pathlib.Path(os.environ["DEBUGGED_PLAIN"])

ANSWER = """
import json

def answer(**fields):
    with open({path!r}, "w") as out:
        json.dump(fields, out)

def frames():
    frame = gdb.newest_frame()
    while frame is not None:
        yield frame
        frame = frame.older()

def stopped_at():
    place = gdb.selected_frame().find_sal()
    return [place.symtab.filename, place.line]
"""

AT_FAILURE = """
threads = read_threads()
answer(frames=[frame.name() for frame in frames()], threads=sorted(descent(threads, thread) for thread in threads))
"""

SWITCHES = """
hits = []
for _ in range(3):
    gdb.execute("heddle next-switch")
    hits.append(int(gdb.parse_and_eval("heddle_debug_thread_count")))
gdb.execute("heddle threads")
gdb.execute("run")
answer(threads_at_switches=hits, frame_after_rerun=gdb.newest_frame().name())
"""

CHANGES = """
gdb.execute("set environment ADDED=in gdb")
gdb.execute("unset environment REMOVED")
gdb.execute("set cwd {directory}")
gdb.execute("run {report} 'typed in gdb' < {stdin}")
answer(first=stopped_at())
"""


class DebugCase(CliCase):
    def clip_of_run(self, *words, **options):
        clip = self.folder / "failure.clip"
        for seed in range(1, 200):
            if self.heddle("run", "--quiet", "--seed", seed, "--clip", clip, *words, **options).returncode == FOUND:
                return clip
        self.fail("the program did not fail")

    def clip_of_kernel(self):
        return self.clip_of_run("--", KERNELS / "BankAcct" / "kernel")

    def gdb(self, *words, **options):
        """heddle debug, whose output must be free of errors."""
        done = self.heddle("debug", *words, **options)
        output = done.stdout + done.stderr
        wrong = [line for line in output.splitlines() if "Error" in line or "Traceback" in line]
        self.assertEqual(wrong, [], output)
        return output

    def debug(self, clip, script, *options, **names):
        path, commands = self.folder / "answer.json", self.folder / "commands.py"
        commands.write_text(ANSWER.format(path=str(path)) + script.format(**names))
        output = self.gdb(clip, *options, "--batch", "-x", commands)
        self.assertTrue(path.exists(), output)
        return json.loads(path.read_text())


class Stops(DebugCase):
    def test_it_stops_right_before_the_failure(self):
        answer = self.debug(self.clip_of_kernel(), AT_FAILURE)
        self.assertIn("heddle_debug_failure", answer["frames"])
        self.assertGreater(len(answer["threads"]), 1)
        self.assertEqual(answer["threads"][0], "0")
        self.assertEqual(answer["threads"][1], "0.1")

    def test_switches_can_be_followed_and_the_run_repeated(self):
        answer = self.debug(self.clip_of_kernel(), SWITCHES, "--from-start")
        self.assertEqual(len(answer["threads_at_switches"]), 3)
        self.assertGreater(answer["threads_at_switches"][-1], 1)
        self.assertEqual(answer["frame_after_rerun"], "heddle_debug_failure")


class Starts(DebugCase):
    """What the program is started with arrives in gdb as it does without."""

    STRANGE = "a 'b' \"c\" $HOME \\d `e` *|;<>&(#~!"

    def setUp(self):
        super().setUp()
        self.report = self.folder / "report"
        self.strange = self.folder / self.STRANGE
        self.strange.mkdir()
        self.input = self.strange / "in'put \\ \" $x\nfile"
        self.input.write_text("first line of stdin\n")
        self.environment = {**os.environ, "dotted.name": "kept", "INHERITED": " spaces around ", "LINES": "7",
                            "REMOVED": "before"}
        self.environment.pop("COLUMNS", None)

    def read_report(self):
        strings = self.report.read_bytes().split(b"\0")
        self.report.unlink()
        return strings

    def clip(self, program, *options):
        variables = [f"STRANGE={self.STRANGE}\n{self.STRANGE}\n", "EMPTY=", "PYTHONHOME=/nowhere", "BYTES=\udcff\udcfe"]
        arguments = [self.report, self.STRANGE, "", "two\nlines", "\udcff", "--batch", "--", "-x"]
        return self.clip_of_run(*(word for variable in variables for word in ("--env", variable)), "--cwd", self.strange,
                                "--stdin", self.input, *options, "--", program, *arguments, env=self.environment)

    def check_start(self, clip, *options):
        replayed = self.heddle("replay", clip, *options, env=self.environment)
        expected = self.read_report()
        self.gdb(clip, *options, "--batch", "-ex", "bt", "-ex", "heddle threads", "-ex", "run", env=self.environment)
        self.assertEqual(self.read_report(), expected, replayed.stderr)
        self.assertIn(self.STRANGE.encode(), expected)
        self.assertIn(b"first line of stdin\n", expected)
        self.assertIn(os.fsencode(self.strange), expected)
        self.assertIn(b"INHERITED= spaces around ", expected)

    def test_arguments_paths_and_environment_arrive_byte_by_byte(self):
        program = self.strange / "pro 'gram'\n"
        shutil.copy(DEBUGGED, program)
        self.check_start(self.clip(program))

    def test_a_program_without_instrumentation_is_started_with_the_runtime(self):
        self.check_start(self.clip(DEBUGGED_PLAIN, "--preload"), "--preload")

    def test_no_character_of_the_programs_path_is_read_by_a_shell(self):
        clip = self.clip(DEBUGGED)
        for decoy in ("stXar", "a", "x"):  # what patterns would match
            (self.folder / decoy).mkdir()
            shutil.copy(DEBUGGED, self.folder / decoy / "program")
        for name in ("back\\slash", "`id`", "pi|pe", "st*ar", "[ab]", "?", "new\nline", "qu'ote"):
            with self.subTest(name):
                (self.folder / name).mkdir()
                program = shutil.copy(DEBUGGED, self.folder / name / "program")
                self.gdb(clip, "--batch", "-ex", "bt", "--", program, self.report, "one argument")
                self.assertEqual(self.read_report()[:3], [*map(os.fsencode, (program, self.report)), b"one argument"])

    def test_what_is_set_in_gdb_has_the_last_word(self):
        clip = self.clip(DEBUGGED)
        (self.folder / "plain").mkdir()
        (self.folder / "typed").write_text("typed in gdb\n")
        self.debug(clip, CHANGES, directory=self.folder / "plain", report=self.report, stdin=self.folder / "typed")
        report = self.read_report()
        self.assertEqual(report[2:5], [b"typed in gdb", os.fsencode(self.folder / "plain"), b"typed in gdb\n"])
        self.assertIn(b"ADDED=in gdb", report)
        self.assertIn(b"EMPTY=", report)
        self.assertNotIn(b"REMOVED=before", report)

    def test_what_is_missing_is_said_before_gdb_starts(self):
        clip = self.clip(DEBUGGED)
        self.input.unlink()
        done = self.heddle("debug", clip, "--batch")
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""), done.stderr)
        self.assertTrue(done.stderr.startswith("heddle: cannot open "))


if __name__ == "__main__":
    unittest.main()
