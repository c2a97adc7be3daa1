#!/usr/bin/env python3
"""What Heddle reports about assertions that are compiled out."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

HEDDLE = pathlib.Path(os.environ["HEDDLE"])
PROJECT = pathlib.Path(__file__).resolve().parent / "project"
CLANG = os.environ["CLANG"]
DONE, FOUND = 0, 1


class Case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def compile(self, *options, sources=("counter.c", "main.cpp")):
        """One program of two source files, each compiled by its own driver."""
        objects = []
        for source in sources:
            driver = "heddle-c++" if source.endswith(".cpp") else "heddle-cc"
            objects.append(self.folder / (source + ".o"))
            standard = ["-std=c++20"] if source.endswith(".cpp") else []
            subprocess.run([HEDDLE.parent / driver, *standard, "-O1", "-g", *options, "-c", PROJECT / source, "-o",
                            objects[-1]],
                           check=True, timeout=120)
        program = self.folder / "counting"
        subprocess.run([HEDDLE.parent / "heddle-c++", *objects, "-o", program, "-pthread"], check=True, timeout=120)
        return program

    def heddle(self, code, *words):
        """What it prints for people."""
        done = subprocess.run([HEDDLE, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=self.folder, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def document(self, code, verb, *words):
        return json.loads(self.heddle(code, verb, "--json", *words).stdout)

    def notes(self, code, *words):
        """The line about NDEBUG; the words of a line that is wrapped."""
        text = " ".join(line.removeprefix("heddle: ") for line in self.heddle(code, *words).stderr.splitlines())
        return [] if "NDEBUG" not in text else [text[text.index("note:"):]]

    def assert_units(self, report, units, *ndebug):
        found = report["assertions"]
        self.assertEqual((found["units"], found["ndebug_units"]), (units, len(ndebug)), found)
        self.assertEqual({pathlib.Path(path).name for path in found["ndebug_files"]}, set(ndebug))


SEARCHES = (("explore", "--runs", 300), ("hunt", "--time", "3s", "--first"), ("predict", "--time", "20s"),
            ("test", "--runs", 300))


class Searches(Case):
    def test_what_is_checked_is_found_and_nothing_is_said(self):
        program = self.compile()
        for verb, *options in SEARCHES:
            with self.subTest(verb):
                self.assert_units(self.document(FOUND, verb, *options, "--", program), 2)
                self.assertEqual(self.notes(FOUND, verb, *options, "--", program), [])

    def test_a_search_without_a_failure_says_what_is_not_checked(self):
        program = self.compile("-DNDEBUG")
        for verb, *options in SEARCHES:
            with self.subTest(verb):
                self.assert_units(self.document(DONE, verb, *options, "--", program), 2, "counter.c", "main.cpp")
                note, = self.notes(DONE, verb, *options, "--", program)
                for part in ("2 of 2 source files are compiled with NDEBUG", "counter.c", "main.cpp",
                             "CMAKE_BUILD_TYPE=Debug"):
                    self.assertIn(part, note)

    def test_a_definition_in_the_source_is_seen(self):
        for option, source in (("-DNDEBUG_IN_C", "counter.c"), ("-DNDEBUG_IN_MAIN", "main.cpp")):
            program = self.compile(option)
            code = FOUND if source == "counter.c" else DONE
            with self.subTest(source):
                self.assert_units(self.document(code, "explore", "--runs", 300, "--", program), 2, source)

    def test_a_source_that_undefines_it_is_checked(self):
        program = self.compile("-DNDEBUG", "-DALWAYS_CHECKED")
        self.assert_units(self.document(FOUND, "explore", "--runs", 300, "--", program), 2, "counter.c")


class Replays(Case):
    def test_a_clip_that_is_fixed_by_leaving_the_assertion_out(self):
        program = self.compile()
        found = self.document(FOUND, "explore", "--runs", 300, "--", program)
        clip = self.folder / found["failures"][0]["clip"]
        self.assert_units(self.document(DONE, "replay", clip), 2)
        self.compile("-DNDEBUG")
        words = ("replay", "--expect", "fixed", clip)
        self.assert_units(self.document(DONE, *words), 2, "counter.c", "main.cpp")
        self.assertEqual(len(self.notes(DONE, *words)), 1)
        words = ("test", "--clips", clip.parent)
        self.assert_units(self.document(DONE, *words)["clips"][0], 2, "counter.c", "main.cpp")
        self.assertEqual(len(self.notes(DONE, *words)), 1)


class Runs(Case):
    def test_a_run_that_ends_well_says_it(self):
        program = self.compile("-DNDEBUG", sources=("counter.c", "main.cpp"))
        self.assert_units(self.document(DONE, "run", "--", program), 2, "counter.c", "main.cpp")
        self.assertEqual(len(self.notes(DONE, "run", "--", program)), 1)
        self.assertEqual(self.heddle(DONE, "run", "--quiet", "--", program).stderr, "")

    def test_a_trace_says_it_as_long_as_the_program_is_the_same(self):
        program = self.compile("-DNDEBUG")
        trace = self.folder / "run.htrace"
        self.heddle(DONE, "run", "--strategy", "sequential", "--record", trace, "--", program)
        self.assert_units(self.document(DONE, "predict", "--trace", trace), 2, "counter.c", "main.cpp")
        self.compile("-DNDEBUG", "-O2")
        self.assert_units(self.document(DONE, "predict", "--trace", trace), 0)


class BuildTypes(Case):
    """As in docs/user/your_project.md: source files of libraries count as well."""

    def build(self, by_driver, *options):
        compilers = ({"CC": HEDDLE.parent / "heddle-cc", "CXX": HEDDLE.parent / "heddle-c++"} if by_driver else
                     {"CC": f"clang-{CLANG}", "CXX": f"clang++-{CLANG}"})
        build = self.folder / f"build-{by_driver}"
        for command in (["cmake", "-S", PROJECT, "-B", build, f"-DCMAKE_PREFIX_PATH={HEDDLE.parent.parent}",
                         f"-DBY_DRIVER={'ON' if by_driver else 'OFF'}", *options], ["cmake", "--build", build]):
            done = subprocess.run(command, env={**os.environ, **{name: str(path) for name, path in compilers.items()}},
                                  capture_output=True, text=True, timeout=240)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return build / "counting"

    def test_cmake(self):
        flags = [f"-DCMAKE_{language}_FLAGS_RELWITHDEBINFO=-O2 -g" for language in ("C", "CXX")]
        for by_driver in (True, False):
            for code, ndebug, options in ((DONE, ("counter.c", "main.cpp"), ["-DCMAKE_BUILD_TYPE=RelWithDebInfo"]),
                                          (FOUND, (), ["-DCMAKE_BUILD_TYPE=RelWithDebInfo", *flags]),
                                          (FOUND, (), ["-DCMAKE_BUILD_TYPE=Debug"])):
                with self.subTest(by_driver=by_driver, options=options):
                    program = self.build(by_driver, *options)
                    self.assert_units(self.document(code, "explore", "--runs", 300, "--", program), 2, *ndebug)


if __name__ == "__main__":
    unittest.main()
