#!/usr/bin/env python3
"""gdb on a clip. gdb's Python writes what gdb finds to files, and the program writes how it was started; printed
text is read only where it is the contract: `bt`, `heddle threads`, and the absence of errors."""
import json
import os
import pathlib
import re
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

def runtime_levels():
    return [frame.level() for frame in frames() if "libheddle_rt" in (gdb.solib_name(frame.pc()) or "")]

def printed(command):
    return gdb.execute(command, to_string=True)

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

STOPS = """
first = stopped_at()
texts = [printed("bt"), printed("bt -no-filters")]
threads = printed("heddle threads")
after_threads = stopped_at()
levels = runtime_levels()
gdb.execute("run")
answer(first=first, filtered=texts[0], unfiltered=texts[1], threads=threads, after_threads=after_threads,
       runtime_levels=levels, after_rerun=stopped_at())
"""

AFTER_MAIN = """
answer(filtered=printed("bt"), threads=printed("heddle threads"), runtime_levels=runtime_levels())
"""

THREADS = """
gdb.execute("heddle next-switch")
before = printed("heddle threads")
gdb.execute("continue")
at_failure = printed("heddle threads")
moved = []
for thread in gdb.selected_inferior().threads():
    gdb.execute(f"thread {{thread.num}}")
    moved.append(stopped_at())
answer(before=before, at_failure=at_failure, moved=moved)
"""

STEPS = """
gdb.execute("tbreak locked_read")
gdb.execute("continue")
places = []
for _ in range(4):
    gdb.execute("step")
    places.append(gdb.newest_frame().find_sal().symtab.filename)
answer(places=places)
"""

CHANGES = """
gdb.execute("set environment ADDED=in gdb")
gdb.execute("unset environment REMOVED")
gdb.execute("set cwd {directory}")
gdb.execute("run {report} 'typed in gdb' < {stdin}")
answer(first=stopped_at())
"""


def levels(backtrace):
    return [int(level) for level in re.findall(r"^#(\d+)", backtrace, flags=re.M)]


def source_line(place):
    return pathlib.Path(place[0]).read_text().splitlines()[place[1] - 1]


def places_of_threads(listing):
    """{descent: (file, line)} of `heddle threads`; a thread without a line fails."""
    places = {}
    for line in listing.splitlines():
        name, place = re.fullmatch(r"[* ] (0[.\d]*)[^:]*: gdb thread \d+, .* at (\S+:\d+)", line).groups()
        places[name] = (place.rpartition(":")[0], int(place.rpartition(":")[2]))
    return places


class DebugCase(CliCase):
    def clip_of_run(self, *words, **options):
        clip = self.folder / "failure.clip"
        for seed in range(1, 200):
            if self.heddle("run", "--quiet", "--seed", seed, "--clip", clip, *words, **options).returncode == FOUND:
                return clip
        self.fail("the program did not fail")

    def clip_of_kernel(self, name="BankAcct"):
        return self.clip_of_run("--", KERNELS / name / "kernel")

    def clip_of_hunt(self, name):
        reports = self.folder / "reports"
        done = self.heddle("hunt", "--quiet", "--first", "--time", "60s", "--out", reports, "--",
                           KERNELS / name / "kernel")
        self.assertEqual(done.returncode, FOUND, done.stdout + done.stderr)
        return next((reports / "clips").glob("*-small.clip"))

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

    def test_a_clip_of_hunt_stops_at_the_line_of_the_user_that_fails(self):
        answer = self.debug(self.clip_of_hunt("BankAcct"), STOPS)
        self.assertIn("assert(accounts[i]->balance() == expected)", source_line(answer["first"]))
        self.assertEqual(answer["after_threads"], answer["first"])
        self.assertEqual(answer["after_rerun"], answer["first"])
        self.assertEqual(places_of_threads(answer["threads"])["0"], tuple(answer["first"]))

    def test_backtraces_show_the_runtime_only_when_asked(self):
        answer = self.debug(self.clip_of_kernel(), STOPS)
        self.assertGreater(len(answer["runtime_levels"]), 3)
        self.assertTrue(levels(answer["filtered"]))
        self.assertFalse(set(levels(answer["filtered"])) & set(answer["runtime_levels"]), answer["filtered"])
        self.assertLessEqual(set(answer["runtime_levels"]), set(levels(answer["unfiltered"])))
        self.assertRegex(answer["filtered"].splitlines()[-1], r" main \(")

    def test_there_is_no_frame_of_the_runtime_when_main_has_returned(self):
        answer = self.debug(self.clip_of_run("--", DEBUGGED, self.folder / "report", "return"), AFTER_MAIN)
        self.assertFalse(set(levels(answer["filtered"])) & set(answer["runtime_levels"]), answer["filtered"])
        self.assertNotIn("heddle", answer["filtered"])
        self.assertEqual(answer["threads"].splitlines(), ["* 0: gdb thread 1, before or after its own code"])

    def test_each_thread_is_at_a_line_of_the_user(self):
        answer = self.debug(self.clip_of_kernel("SyncList-deadlock"), THREADS, "--from-start")
        waiting = places_of_threads(answer["at_failure"])
        self.assertEqual(set(waiting), {"0", "0.1", "0.2"})
        self.assertIn(".join()", source_line(waiting["0"]))
        self.assertIn("lock_guard guard(mutex_)", source_line(waiting["0.1"]))
        self.assertIn("lock_guard guard(mutex_)", source_line(waiting["0.2"]))
        self.assertEqual(sorted(map(tuple, answer["moved"])), sorted(waiting.values()))
        self.assertIn("created by main", answer["before"], "a thread that has not begun")
        self.assertIn("threads.emplace_back", source_line(places_of_threads(answer["before"])["0.1"]))

    def test_steps_do_not_enter_the_runtime(self):
        clip = self.clip_of_run("--", DEBUGGED, self.folder / "report")
        self.assertEqual({pathlib.Path(place).name for place in self.debug(clip, STEPS, "--from-start")["places"]},
                         {"debugged.c"})

    def test_commands_without_a_process_say_so(self):
        done = self.heddle("debug", self.clip_of_kernel(), "--batch", "-ex", "kill", "-ex", "heddle threads")
        self.assertIn("the program is not running", done.stderr)
        self.assertNotIn("Python", done.stdout + done.stderr)


class Starts(DebugCase):
    """In gdb, the program receives the same arguments, environment and input as without."""

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
        return self.clip_of_run(*(word for variable in variables for word in ("--env", variable)), "--cwd",
                                self.strange,
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
