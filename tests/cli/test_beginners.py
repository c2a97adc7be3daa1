#!/usr/bin/env python3
"""Every typing error is reported in one line, with what to type instead, before the program runs. Tried with every
verb and option that the tool lists in its help."""
import dataclasses
import json
import re
import shlex
import struct
import subprocess
import unittest

from cli_case import DONE, FAKE_PROGRAM, HEDDLE, UNCONTROLLED, USAGE, CliCase

OVERVIEW_LINES_MAX = 30

# Options with a path that is read. All others with FILE or DIR are outputs.
INPUT_OPTIONS = {"--stdin", "--cwd", "--graphs", "--clips", "--trace", "--patterns", "--ignore", "--baseline",
                 "--program", "--key", "--root", "--tested", "--without"}
# Where 0 has a meaning of its own.
ZERO_NUMBERS = {"--seed", "--steps-max", "--bound", "--passing", "--failing", "--context", "--first", "--count",
                "--edges"}
ZERO_NUMBERS_NOT_OF = {("graph", "rank"): {"--first"}}
ZERO_TIMES = {"--timeout"}
ZERO_TIME_VERBS = {"explore", "test", "predict", "shrink", "core"}  # their --time 0 is "no bound"


@dataclasses.dataclass
class Option:
    name: str
    value: str  # as the help names it; empty: a flag
    required: bool


@dataclasses.dataclass
class Command:
    words: tuple
    usage: str
    positionals: list
    options: list

    @property
    def takes_program(self):
        return "-- PROGRAM" in self.usage

    @property
    def needs_program(self):
        return "[-- PROGRAM" not in self.usage and self.takes_program


def help_of(*words):
    return subprocess.run([HEDDLE, *words, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def listed_verbs(text):
    return re.findall(r"^  ([a-z]+)\s{2,}\S", text, flags=re.M)


def read_command(words, text):
    positionals, options = [], []
    for line in text.splitlines():
        if not re.match(r"^  \S", line):
            continue
        left = re.split(r"\s{2,}", line.strip())[0].split()
        if left[0].startswith("-"):
            long_names = [name for name in left[0].split(",") if name.startswith("--")]
            value = left[1] if len(left) > 1 and left[1] != "REQUIRED" else ""
            options += [Option(name, value, "REQUIRED" in left) for name in long_names]
        elif left[0].isupper() and "REQUIRED" in left:
            positionals.append(left[0])
    usage = re.search(r"^Usage: (.*)$", text, flags=re.M)[1]
    return Command(tuple(words), usage, positionals, options)


def all_commands():
    """Every verb that does something, from what the help lists."""
    for verb in listed_verbs(help_of()):
        text = help_of(verb)
        if " VERB" in re.search(r"^Usage: (.*)$", text, flags=re.M)[1]:
            for inner in listed_verbs(text):
                yield read_command((verb, inner), help_of(verb, inner))
        else:
            yield read_command((verb,), text)


COMMANDS = list(all_commands())


def elf(kind):
    """The head of an ELF file of this e_type, and one empty PT_NOTE."""
    head = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", kind, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return head + struct.pack("<IIQQQQQQ", 4, 0, 120, 0, 0, 0, 0, 1)


class Beginners(CliCase):
    def setUp(self):
        super().setUp()
        self.marker = self.folder / "was-started"
        self.program = self.folder / "program"
        self.program.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(self.marker))}\n")
        self.program.chmod(0o755)

    def said(self, *words, **options):
        """The line of a command that is refused."""
        done = self.heddle(*words, **options)
        self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("heddle: "))
        self.assertFalse(self.marker.exists(), "the program was started")
        return done.stderr.strip().removeprefix("heddle: ")

    def make_files(self):
        """A valid file of each kind."""
        names = ("clip", "trace", "graph", "core", "text", "empty", "json", "html", "std", "breakpoints", "object",
                 "directory", "export", "key")
        files = {name: self.folder / name for name in names}
        self.heddle("run", "--clip", files["clip"], "--record", files["trace"], "--", FAKE_PROGRAM, "assert")
        self.heddle("graph", "collect", "--trace", files["trace"], "--out", f"{files['graph']}.hgraph")
        (self.folder / "graph.hgraph").rename(files["graph"])
        files["core"].write_bytes(elf(4))
        files["object"].write_bytes(elf(1))
        files["text"].write_text("some words\n")
        files["empty"].write_text("")
        files["json"].write_text('{"cause": null}\n')
        files["html"].write_text("<!DOCTYPE html>\n<html></html>\n")
        files["std"].write_text("T0|fork(T1)|1\nT1|acq(m)|2\n")
        files["breakpoints"].write_text("heddle-breakpoints 1\n")
        files["export"].write_text('{"bytes":1,"format":"heddle-core-export","version":1}\n')
        files["key"].write_text("0123456789abcdef" * 2 + "\n")
        files["directory"].mkdir()
        files["program"] = self.program
        return files

    def sound_words(self, command, files, leave_out=()):
        """What the command needs before --, all of it valid."""
        of_positional = {"CLIP": "clip", "FILE": "trace", "OTHER": "trace", "CORE": "core", "GRAPH": "graph",
                         "GRAPHS": "graph", "WITHOUT": "graph"}
        of_option = {"--program": "program", "--tested": "graph"}
        words = list(command.words)
        for option in command.options:
            if option.required and option.name not in leave_out:
                path = files[of_option[option.name]] if option.name in of_option else self.folder / "out"
                words += [option.name, path]
        return words + [files[of_positional[name]] for name in command.positionals]

    def after(self, command):
        return ["--", self.program] if command.takes_program else []

    # --- The overview ---

    def test_the_help_lists_all_verbs_and_their_options(self):
        names = {command.words for command in COMMANDS}
        self.assertLessEqual({("hunt",), ("core",), ("doctor",), ("graph", "collect"), ("trace", "slice")}, names)
        self.assertGreater(len(names), 22)
        self.assertGreater(sum(len(command.options) for command in COMMANDS), 200)
        self.assertIn("--jobs", [option.name for option in COMMANDS[0].options])

    def test_the_tool_alone_prints_the_overview(self):
        alone = self.heddle()
        self.assertEqual((alone.returncode, alone.stderr), (DONE, ""))
        self.assertLessEqual(len(alone.stdout.splitlines()), OVERVIEW_LINES_MAX)
        self.assertLessEqual({command.words[0] for command in COMMANDS}, set(listed_verbs(alone.stdout)))
        self.assertIn("heddle VERB --help", alone.stdout)
        self.assertIn("-- ./", alone.stdout)
        for words in (["help"], ["--help"], ["-h"]):
            self.assertEqual(self.heddle(*words).stdout, alone.stdout)

    def test_help_of_a_verb(self):
        for command in COMMANDS:
            done = self.heddle("help", *command.words)
            self.assertEqual((done.returncode, done.stdout), (DONE, help_of(*command.words)))
        self.assertIn("'hunt'", self.said("help", "hnt"))

    # --- Did you mean ---

    def test_a_misspelt_verb(self):
        for command in COMMANDS:
            outer, name = command.words[:-1], command.words[-1]
            for i in range(len(name) - 1):
                for typo in (name[:i] + name[i + 1] + name[i] + name[i + 2:], name[:i] + name[i + 1:]):
                    if typo in (name, "help") or any(other.words == outer + (typo,) for other in COMMANDS):
                        continue
                    with self.subTest(typo):
                        self.assertIn(f"did you mean '{' '.join(command.words)}'", self.said(*outer, typo))

    def test_a_verb_that_is_inside_another(self):
        self.assertIn("did you mean 'graph collect'?", self.said("collect"))
        self.assertIn("did you mean 'graph diff' or 'trace diff'?", self.said("diff"))

    def test_a_misspelt_verb_that_is_also_a_folder(self):
        (self.folder / "tests").mkdir()
        (self.folder / "bugs").mkdir()
        self.assertIn("did you mean 'test'?", self.said("tests", cwd=self.folder))
        self.assertIn("bugs is a directory, not a verb", self.said("bugs", cwd=self.folder))

    def test_a_word_that_is_like_no_verb(self):
        self.assertNotIn("did you mean", self.said("frobnicate"))
        self.assertIn("collect", self.said("graph"))

    def test_a_misspelt_option(self):
        for command in COMMANDS:
            if command.words == ("debug",):  # options that it does not have are gdb's
                continue
            names = [option.name for option in command.options]
            for option in command.options:
                for typo in (option.name[:-1], "-" + option.name[2:], option.name + "s"):
                    if typo in names or typo == "-":
                        continue
                    with self.subTest(command=command.words, typo=typo):
                        line = self.said(*command.words, typo, *self.after(command))
                        self.assertIn(f"unknown option {typo}; did you mean ", line)
                        self.assertIn(option.name, re.split(r"[ ?,]", line.split("did you mean ")[1]))
        for words in (["--tim", "5s", "--", self.program], ["--tim=5s"]):
            self.assertEqual(self.said("hunt", *words), "unknown option --tim; did you mean --time?")
        self.assertIn("see: heddle hunt --help", self.said("hunt", "--frobnicate"))

    def test_a_misspelt_word_of_a_choice(self):
        seen = 0
        for command in COMMANDS:
            for option in command.options:
                words = option.value.split("|")
                if len(words) < 2:
                    continue
                seen += 1
                for word in words:
                    if word == "FILE" or len(word) < 3:
                        continue
                    with self.subTest(command=command.words, word=word):
                        line = self.said(*command.words, option.name, word + "x", *self.after(command))
                        self.assertIn(f"{option.name} {word}x is not possible; did you mean ", line)
                        self.assertIn(word, line.split("did you mean ")[1])
        self.assertGreater(seen, 20)
        self.assertIn("take fiber or thread", self.said("run", "--engine", "steam", "--", self.program))

    def test_options_before_the_verb(self):
        self.assertTrue(self.said("--time", "5s", "hunt", "--", self.program)
                        .endswith(f"type: heddle hunt --time 5s -- {self.program}"))
        self.assertIn("--help", self.said("--hlep"))

    # --- The program without -- ---

    def line_of(self, said):
        self.assertTrue(said.startswith("put the program after --, as in: "), said)
        return shlex.split(said.split(" as in: ")[1].split(" (")[0])

    def test_a_program_without_dashes(self):
        files = self.make_files()
        for command in COMMANDS:
            if not command.takes_program or command.words == ("debug",):  # what it does not know is gdb's
                continue
            words = [str(word) for word in self.sound_words(command, files)]
            with self.subTest(command.words):
                line = self.line_of(self.said(*words, self.program, "argument", "--an-option"))
                self.assertEqual(line, ["heddle", *words, "--", str(self.program), "argument", "--an-option"])

    def test_what_is_typed_runs_when_it_is_typed_as_shown(self):
        line = self.line_of(self.said("run", "--seed", 3, FAKE_PROGRAM, "print", "two words"))
        self.assertEqual(self.heddle(*line[1:]).stdout, "two words\n")

    def test_own_options_behind_the_program_come_before_it(self):
        said = self.said("hunt", self.program, "3", "--time", "5s", "--verbose", "--jobs=2")
        self.assertEqual(self.line_of(said),
                         ["heddle", "hunt", "--time", "5s", "--jobs=2", "--", str(self.program), "3", "--verbose"])
        self.assertIn("words after the program are its arguments", said)

    def test_a_program_of_this_folder_is_shown_with_its_folder(self):
        line = self.line_of(self.said("hunt", "program", cwd=self.folder))
        self.assertEqual(line, ["heddle", "hunt", "--", "./program"])

    def test_a_program_in_the_place_of_an_optional_clip(self):
        line = self.line_of(self.said("breakpoints", "--conflicts", self.program, "3"))
        self.assertEqual(line, ["heddle", "breakpoints", "--conflicts", "--", str(self.program), "3"])

    def test_breakpoints_of_a_program_are_its_conflicts(self):
        for words, program in (["--", self.program], str(self.program)), ([], "./program"):
            self.assertTrue(self.said("breakpoints", *words).endswith(f"heddle breakpoints --conflicts -- {program}"))

    def test_a_program_that_is_missing(self):
        files = self.make_files()
        for command in COMMANDS:
            if not command.needs_program:
                continue
            words = [str(word) for word in self.sound_words(command, files)]
            for dashes in ([], ["--"]):
                with self.subTest(command=command.words, dashes=dashes):
                    line = shlex.join(["heddle", *words, "--", "./program"])
                    self.assertTrue(self.said(*words, *dashes).endswith(line))

    def test_a_verb_that_runs_no_program(self):
        files = self.make_files()
        for command in COMMANDS:
            if not command.takes_program:
                with self.subTest(command.words):
                    self.assertIn("does not run a program",
                                  self.said(*self.sound_words(command, files), "--", self.program))

    def test_a_verb_is_forgotten(self):
        for words in (["--", self.program], [self.program]):
            self.assertTrue(self.said(*words).endswith(f"type: heddle hunt -- {self.program}"))

    def test_a_word_too_many(self):
        self.assertIn("unexpected word '7'", self.said("replay", self.make_files()["clip"], 7))
        self.assertIn("unexpected word 'x'", self.said("hunt", "x", "--", self.program))
        self.assertIn("heddle hunt -- ./program", self.said("hunt", "no-such-program"))

    # --- Numbers and times ---

    def zero_is_refused(self, command, option):
        if option.value == "TIME":
            return not (option.name in ZERO_TIMES or (option.name == "--time" and command.words[0] in ZERO_TIME_VERBS))
        return option.name not in ZERO_NUMBERS - ZERO_NUMBERS_NOT_OF.get(command.words, set())

    def test_numbers_that_are_none_or_too_small_or_too_large(self):
        seen = set()
        for command in COMMANDS:
            for option in command.options:
                if option.value not in ("N", "N,N", "SHARE"):
                    continue
                seen.add(option.name)
                values = ["-1", "x", "1.5x", "99999999999999999999999", "", "5 "]
                if option.value != "SHARE":
                    values += ["1.5"] + (["0"] if self.zero_is_refused(command, option) else [])
                for value in values:
                    with self.subTest(command=command.words, option=option.name, value=value):
                        line = self.said(*command.words, option.name, value, *self.after(command))
                        self.assertTrue(line.startswith(option.name + " "), line)
                        self.assertIn("give a ", line)
        known = {"--jobs", "--runs", "--times", "--seed", "--quantum", "--tries", "--lines", "--cores"}
        self.assertLessEqual(known, seen)
        self.assertIn("from 1 to", self.said("explore", "--jobs", 0, "--", self.program))

    def test_no_option_of_a_number_is_left_unchecked(self):
        for command in COMMANDS:
            for option in command.options:
                self.assertNotRegex(option.value, "UINT|INT|FLOAT|TEXT", f"{command.words} {option.name}")

    def test_times_that_are_none(self):
        seen = set()
        for command in COMMANDS:
            for option in command.options:
                if option.value != "TIME":
                    continue
                seen.add(option.name)
                zeros = ["0", "0s"] if self.zero_is_refused(command, option) else []
                for value in ["-1s", "soon", "5x", "", "1e400"] + zeros:
                    with self.subTest(command=command.words, option=option.name, value=value):
                        line = self.said(*command.words, option.name, value, *self.after(command))
                        self.assertTrue(line.startswith(option.name), line)
                        self.assertIn("write 30s", line)
        self.assertEqual(seen, {"--time", "--timeout", "--interval", "--pause"})

    def test_numbers_and_times_where_zero_has_a_meaning(self):
        for words in (["--seed", 0], ["--seed", "0x10"], ["--seed", "007"], ["--timeout", 0], ["--steps-max", 0]):
            self.document(DONE, "run", *words, "--", FAKE_PROGRAM)
        trace = self.make_files()["trace"]
        self.assertEqual(self.heddle("trace", "dump", "--first", 0, "--count", 0, trace).returncode, DONE)

    def test_a_value_that_is_missing_or_given_twice(self):
        self.assertEqual(self.said("hunt", "--time"), "--time needs a value: --time TIME")
        line = self.said("hunt", "--out", "--jobs", "2", "--", self.program)
        self.assertEqual(line, "--out needs a value: --out DIR")
        self.assertIn("--seed is given more than once", self.said("run", "--seed", 1, "--seed=2", "--", self.program))

    # --- Files of the wrong kind ---

    def test_each_file_is_called_by_its_kind(self):
        files = self.make_files()
        kinds = {"clip": "a clip", "trace": "a trace", "graph": "a graph", "core": "a core file",
                 "program": "a program", "text": "text", "empty": "an empty file", "json": "a JSON document",
                 "html": "an HTML page",
                 "std": "a trace in STD form", "breakpoints": "a breakpoints file", "object": "an object file",
                 "directory": "a directory", "export": "an export of a core file", "key": "the key of an export"}
        places = {("replay",): {"clip"}, ("explain",): {"clip"}, ("shrink", "-o", self.folder / "out"): {"clip"},
                  ("debug",): {"clip"}, ("breakpoints",): {"clip"}, ("trace", "info"): {"trace"},
                  ("trace", "dump"): {"trace"},
                  ("trace", "export"): {"trace"}, ("trace", "diff", files["trace"]): {"trace"},
                  ("trace", "slice"): {"clip", "trace"}, ("graph", "rank"): {"graph", "directory"},
                  ("graph", "show"): {"graph"}, ("graph", "union", "-o", self.folder / "out"): {"graph", "directory"},
                  ("graph", "collect", "--trace"): {"trace"}, ("predict", "--no-validate", "--trace"): {"trace", "std"},
                  ("core",): {"core", "export"}, ("core", files["core"], "--program"): {"program"},
                  ("predict", "--baseline"): {"text", "empty"}, ("test", "--clips"): {"directory"}}
        for words, fitting in places.items():
            for name, text in kinds.items():
                if name in fitting or (words == ("breakpoints",) and name == "program"):
                    continue
                with self.subTest(words=words, name=name):
                    self.assertTrue(self.said(*words, files[name]).startswith(f"{files[name]} is {text}, not "))

    def test_what_to_do_with_a_file_of_another_kind(self):
        files = self.make_files()
        lines = {"clip": ["heddle", "replay", files["clip"]], "trace": ["heddle", "trace", "info", files["trace"]],
                 "graph": ["heddle", "graph", "show", files["graph"]],
                 "program": ["heddle", "hunt", "--", self.program]}
        for name, line in lines.items():
            verb = ("trace", "info") if name != "trace" else ("replay",)
            self.assertTrue(self.said(*verb, files[name]).endswith("type: " + shlex.join(map(str, line))))
        self.assertIn(f"heddle core {files['core']} --program", self.said("replay", files["core"]))
        for name in ("clip", "trace", "graph"):  # the line is right
            words = [str(word) for word in lines[name]][1:]
            self.assertNotEqual(self.heddle(*words).returncode, USAGE)

    def test_a_clip_is_not_a_core(self):
        clip = self.make_files()["clip"]
        for more in ([], ["--program", self.program, "--", self.program]):
            line = self.said("core", clip, *more)
            self.assertEqual(line, f"{clip} is a clip, not a core file; type: heddle replay {clip}")
        self.assertIn("give the core file first", self.said("core", self.program, "--program", self.program))

    def test_a_file_in_the_place_of_a_program(self):
        files = self.make_files()
        source = self.folder / "bank.cpp"
        source.write_text("int main() {}\n")
        for dashes in (["--"], []):
            for command in (("run",), ("hunt",), ("graph", "collect")):
                line = self.said(*command, *dashes, files["clip"])
                self.assertTrue(line.endswith(f"type: heddle replay {files['clip']}"))
                self.assertIn(f"heddle-c++ -g -pthread {source} -o bank", self.said(*command, *dashes, source))
        files["clip"].chmod(0o755)  # as on file systems without such bits
        self.assertIn("is a clip, not a program", self.said("run", "--", files["clip"]))
        self.assertIn("is a clip, not a verb", self.said(files["clip"]))

    def test_a_compressed_clip_and_one_that_comes_through_a_pipe_are_clips(self):
        files = self.make_files()
        packed = self.folder / "packed"
        self.document(1, "run", "--clip", self.folder / "c.clip.zst", "--", FAKE_PROGRAM, "assert")
        (self.folder / "c.clip.zst").rename(packed)
        self.assertEqual(self.heddle("replay", packed).returncode, DONE)
        with files["clip"].open() as clip:
            cat = subprocess.Popen(["cat"], stdin=clip, stdout=subprocess.PIPE)
            self.assertEqual(self.heddle("replay", "/dev/stdin", stdin=cat.stdout).returncode, DONE)
            cat.stdout.close()
            cat.wait()

    # --- Outputs ---

    def outputs(self):
        for command in COMMANDS:
            for option in command.options:
                if option.value in ("FILE", "DIR") and option.name not in INPUT_OPTIONS:
                    yield command, option

    def test_outputs_that_cannot_be_written(self):
        files = self.make_files()
        seen = {}
        for command, option in self.outputs():
            seen.setdefault(command.words[0], set()).add(option.name)
            words = self.sound_words(command, files, leave_out={option.name})
            for bad in (files["text"] / "x", "/proc/x", "", files["text"] / "a" / "b"):
                with self.subTest(command=command.words, option=option.name, bad=str(bad)):
                    line = self.said(*words, option.name, bad, *self.after(command))
                    self.assertIn(option.name, line)
            bad = files["text"] if option.value == "DIR" else files["directory"]
            with self.subTest(command=command.words, option=option.name, bad=str(bad)):
                self.assertIn(str(bad), self.said(*words, option.name, bad, *self.after(command)))
        known = {"hunt": {"--out", "--junit", "--sarif"}, "run": {"--clip", "--record", "--save-arm"},
                 "replay": {"--record"}, "explore": {"--out"}, "test": {"--out", "--junit", "--sarif"},
                 "predict": {"--out", "--save-baseline"}, "core": {"--out", "--export"}, "shrink": {"--out"},
                 "explain": {"--html", "--perfetto"}, "breakpoints": {"--patch", "--out"},
                 "graph": {"--out", "--output", "--findings"}, "trace": {"--output"}}
        self.assertEqual(known, seen)

    def test_the_program_is_started_where_outputs_are_sound(self):
        """What the tests above assume."""
        self.heddle("explore", "--runs", 1, "--jobs", 1, "--out", self.folder / "new" / "folder", "--", self.program)
        self.assertTrue(self.marker.exists())

    def test_the_default_folder_is_checked_as_well(self):
        for verb in ("explore", "hunt", "test", "predict"):
            folder = "heddle-hunt" if verb == "hunt" else "heddle-clips"
            (self.folder / folder).write_text("")
            with self.subTest(verb):
                self.assertIn("name another directory with --out", self.said(verb, "--", self.program, cwd=self.folder))

    def test_a_folder_that_is_not_needed_is_not_checked(self):
        files = self.make_files()
        (self.folder / "heddle-clips").write_text("")
        self.document(DONE, "predict", "--no-validate", "--trace", files["trace"], cwd=self.folder)

    def test_devices_and_links_are_written_into(self):
        files = self.make_files()
        done = self.heddle("run", "--clip", "/dev/stdout", "--", FAKE_PROGRAM)
        self.assertIn("heddle_clip", json.loads(done.stdout.splitlines()[0]))
        done = self.heddle("trace", "export", "-o", "/dev/stdout", files["trace"])
        self.assertEqual(done.stdout, self.heddle("trace", "export", files["trace"]).stdout)

    # --- With --json ---

    def test_what_is_typed_wrong_is_a_document_too(self):
        for words in (["hnt", "--json"], ["hunt", "--json", "--tim"], ["hunt", "--json", "--jobs", "0"],
                      ["hunt", "--json", str(self.program)], ["replay", "--json", str(self.program)],
                      ["explore", "--json", "--out", "/proc/x", "--", str(self.program)]):
            done = self.heddle(*words)
            self.assertEqual(done.returncode, USAGE)
            self.assertEqual("heddle: " + json.loads(done.stdout)["error"] + "\n", done.stderr)

    def test_a_program_that_is_not_instrumented_is_still_uncontrolled(self):
        self.refused(UNCONTROLLED, "run", "--", "/bin/true")


if __name__ == "__main__":
    unittest.main()
