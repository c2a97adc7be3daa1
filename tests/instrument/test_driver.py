"""heddle-cc and heddle-c++ in place of clang."""
import os
import unittest

import toolchain
from toolchain import CLANG, HEDDLE_CC, HEDDLE_CXX, LIBRARY_DIR

PROGRAM = """
#include "answer.h"
#include <stdio.h>
int number = ANSWER;
int read_number(int* p) { return *p; }
int main(void) { printf("%d\\n", read_number(&number)); }
"""


class DriverTest(toolchain.ToolchainTest):
    def setUp(self):
        super().setUp()
        (self.scratch / "program.c").write_text(PROGRAM)
        (self.scratch / "program.cpp").write_text(PROGRAM)
        (self.scratch / "answer.h").write_text("#define ANSWER 42\n")

    def assert_instrumented(self, program="./a.out"):
        run = self.run_program(program)
        self.assertEqual(run.stdout, "42\n")
        self.assertGreater(toolchain.hits(run.report), 0)

    def test_compiles_and_links_in_one_step_or_two(self):
        for driver, source in ((HEDDLE_CC, "program.c"), (HEDDLE_CXX, "program.cpp")):
            self.call(driver, source)
            self.assert_instrumented()
            self.call(driver, "-c", source, "-o", "program.o")
            self.call(driver, "program.o")
            self.assert_instrumented()

    def test_says_nothing_that_clang_would_not_say(self):
        for command in (["-c", "program.c"], ["program.o"], ["-S", "program.c"], ["-E", "program.c", "-o", "program.i"],
                        ["-fsyntax-only", "program.c"], ["-M", "program.c", "-o", "program.d"], ["-c", "program.i"]):
            with self.subTest(command=command):
                done = self.call(HEDDLE_CC, "-Wall", "-Werror", *command)
                self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_preprocesses_as_clang_does(self):
        for options in (["-E"], ["-MM"], ["-E", "-dM"]):
            expected = self.call(CLANG, *options, "program.c").stdout
            self.assertEqual(self.call(HEDDLE_CC, *options, "program.c").stdout, expected)

    def test_answers_questions_as_clang_does(self):
        for question in ("--version", "-dumpmachine", "-dumpversion", "-print-search-dirs", "-print-file-name=libc.so"):
            self.assertEqual(self.call(HEDDLE_CC, question).stdout, self.call(CLANG, question).stdout)
        self.assertIn("clang version", self.call(HEDDLE_CXX, "-v").stderr)
        self.assertIn("heddle_instrument.so", self.call(HEDDLE_CC, "-###", "program.c").stderr)
        self.assertIn("GNU ld", self.call(HEDDLE_CC, "-Wl,--version").stdout)

    def test_fails_as_clang_does(self):
        for arguments in ([], ["missing.c"], ["--no-such-option", "program.c"], ["@missing.rsp"]):
            done = self.call(HEDDLE_CC, *arguments, expect=1)
            self.assertIn("error:", done.stderr)

    def test_writes_dependencies(self):
        self.call(HEDDLE_CC, "-MMD", "-MF", "program.d", "-c", "program.c")
        self.assertEqual((self.scratch / "program.d").read_text().split(), ["program.o:", "program.c", "answer.h"])

    def test_reads_response_files(self):
        (self.scratch / "inner.rsp").write_text("-c\n")
        (self.scratch / "outer.rsp").write_text("@inner.rsp 'program.c' -o \"program one.o\"")
        self.call(HEDDLE_CC, "@outer.rsp")
        (self.scratch / "link.rsp").write_text('"program one.o" -o linked')
        self.call(HEDDLE_CC, "@link.rsp")
        self.assert_instrumented("./linked")

    def test_reads_stdin_in_a_given_language(self):
        self.call(HEDDLE_CC, "-x", "c++", "-", "-o", "from_stdin", "-I.", input=PROGRAM)
        self.assert_instrumented("./from_stdin")

    def test_leaves_assembly_alone(self):
        self.call(CLANG, "-g", "-S", "program.c", "-o", "program.s")
        self.call(HEDDLE_CC, "program.s", "-o", "from_assembly")
        self.assertEqual(self.call("./from_assembly").stdout, "42\n")

    def test_gives_line_numbers_by_default(self):
        self.call(HEDDLE_CC, "program.c")
        self.assertEqual({site["line"] for site in self.run_program("./a.out").report["sites"]}, {5})
        self.call(HEDDLE_CC, "-g0", "program.c")
        self.assertEqual({site["line"] for site in self.run_program("./a.out").report["sites"]}, {0})

    def test_uses_precompiled_headers(self):
        (self.scratch / "all.h").write_text("#include <string>\n#define ANSWER 42\n")
        (self.scratch / "answer.h").write_text("")
        self.call(HEDDLE_CXX, "-x", "c++-header", "all.h", "-o", "all.h.pch")
        done = self.call(HEDDLE_CXX, "-Werror", "-include", "all.h", "-H", "program.cpp")
        self.assertNotIn("basic_string.h", done.stderr)
        self.assert_instrumented()

    def notes(self, program):
        """The first letter and the name of each source file that the program is compiled from."""
        dump = self.call("readelf", "-p", "heddle_units", program).stdout
        return sorted(line.split("]", 1)[1].strip() for line in dump.splitlines() if line.strip().startswith("["))

    def test_notes_each_source_file_and_its_ndebug(self):
        (self.scratch / "main.c").write_text("#include <assert.h>\nint read_number(int*);\n"
                                             "int main(int count, char** words) {\n"
                                             "  assert(words);\n  return read_number(&count) != 1;\n}\n")
        (self.scratch / "library.c").write_text("#include <assert.h>\n"
                                                "int read_number(int* p) { assert(p); return *p; }\n")
        for options in ([], ["-flto", "-fuse-ld=lld"], ["-flto=thin", "-fuse-ld=lld"], ["-fsanitize=address"],
                        ["-ffunction-sections", "-Wl,--gc-sections", "-fuse-ld=bfd"],
                        ["-ffunction-sections", "-Wl,--gc-sections", "-fuse-ld=lld"]):
            with self.subTest(options=options):
                self.call(HEDDLE_CC, "-O2", *options, "-c", "-DNDEBUG", "main.c")
                self.call(HEDDLE_CC, "-O2", *options, "-c", "library.c")
                self.call(HEDDLE_CC, *options, "main.o", "library.o", "-o", "noted")
                self.assertEqual(self.notes("noted"), ["clibrary.c", "nmain.c"])
                self.call("strip", "noted")
                self.assertEqual(self.notes("noted"), ["clibrary.c", "nmain.c"])
                self.call("./noted")

    def test_notes_ndebug_of_what_is_preprocessed_or_precompiled_first(self):
        (self.scratch / "main.cpp").write_text("#include \"all.h\"\n"
                                               "int main() { assert(std::string(\"a\").size() == 1); }\n")
        (self.scratch / "all.h").write_text("#include <cassert>\n#include <string>\n")
        self.call(HEDDLE_CXX, "-DNDEBUG", "-E", "main.cpp", "-o", "main.ii")
        self.call(HEDDLE_CXX, "main.ii", "-o", "noted")
        self.assertEqual(self.notes("noted"), ["nmain.cpp"])
        self.call(HEDDLE_CXX, "-DNDEBUG", "-x", "c++-header", "all.h", "-o", "all.h.pch")
        self.call(HEDDLE_CXX, "-DNDEBUG", "-include", "all.h", "main.cpp", "-o", "noted")
        self.assertEqual(self.notes("noted"), ["nmain.cpp"])
        self.call(HEDDLE_CXX, "-UNDEBUG", "main.cpp", "-o", "noted")
        self.assertEqual(self.notes("noted"), ["cmain.cpp"])

    def test_links_the_runtime_first_and_binds_now(self):
        self.call(HEDDLE_CXX, "program.cpp", "-lpthread", "-lm")
        dynamic = self.call("readelf", "-dn", "a.out").stdout
        needed = [line for line in dynamic.splitlines() if "(NEEDED)" in line]
        self.assertIn("libheddle_rt.so", needed[0])
        self.assertIn("NOW", dynamic)
        self.assertIn(f"[{LIBRARY_DIR}]", dynamic)
        self.assertRegex(dynamic, r"Build ID: [0-9a-f]{40}\b")

    def test_refuses_in_one_line_what_cannot_work(self):
        for options, word in ((["-static"], "-static"), (["-static-pie"], "-static-pie"),
                              (["--target=x86_64-linux-musl"], "musl"), (["-fsanitize=thread"], "thread"),
                              (["-fsanitize=memory"], "memory")):
            with self.subTest(options=options):
                done = self.call(HEDDLE_CC, *options, "program.c", expect=2)
                self.assertEqual(done.stdout, "")
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertTrue(done.stderr.startswith("heddle-cc: "), done.stderr)
                self.assertIn(word, done.stderr)
        self.call(HEDDLE_CXX, "-static-libstdc++", "-static-libgcc", "program.cpp")
        self.assert_instrumented()

    def test_takes_the_clang_of_the_environment(self):
        done = self.call(HEDDLE_CC, "program.c", env={"HEDDLE_CLANG": "/nonexistent/clang"}, expect=2)
        self.assertIn("HEDDLE_CLANG", done.stderr)
        self.call(HEDDLE_CXX, "program.cpp", env={"HEDDLE_CLANG": CLANG})
        self.assert_instrumented()

    def test_works_behind_ccache(self):
        cache = {"CCACHE_DIR": str(self.scratch / "cache"), "CCACHE_CONFIGPATH": "/dev/null"}
        for _ in range(2):
            self.call("ccache", HEDDLE_CC, "-MMD", "-c", "program.c", "-o", "program.o", env=cache)
        lines = self.call("ccache", "--print-stats", env=cache).stdout.splitlines()
        statistics = dict(line.split("\t") for line in lines)
        self.assertEqual(int(statistics["direct_cache_hit"]) + int(statistics["preprocessed_cache_hit"]), 1)
        self.call(HEDDLE_CC, "program.o")
        self.assert_instrumented()


class BuildSystemTest(toolchain.ToolchainTest):
    def setUp(self):
        super().setUp()
        (self.scratch / "library.cpp").write_text("int shared; int next() { return ++shared; }\n")
        (self.scratch / "main.cpp").write_text("#include <cstdio>\nint next();\nint calls;\n"
                                               "int main() { ++calls; next(); std::printf(\"%d\\n\", next()); }\n")
        self.compilers = {"CC": HEDDLE_CC, "CXX": HEDDLE_CXX}

    def check(self, program, modules):
        run = self.run_program(program)
        self.assertEqual(run.stdout, "2\n")
        self.assertEqual(len(run.report["modules"]), modules)
        self.assertGreater(toolchain.hits(run.report), 0)

    def test_cmake_project(self):
        (self.scratch / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(P C CXX)\n"
            "if(NOT CMAKE_CXX_COMPILER_ID STREQUAL \"Clang\")\n"
            "  message(FATAL_ERROR \"${CMAKE_CXX_COMPILER_ID}\")\nendif()\n"
            "find_package(Threads REQUIRED)\n"
            "add_library(next SHARED library.cpp)\nadd_executable(main main.cpp)\n"
            "target_link_libraries(main next Threads::Threads)\n")
        self.call("cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                  "-DCMAKE_BUILD_TYPE=Release", env=self.compilers)
        self.call("cmake", "--build", "build")
        self.check("build/main", modules=2)
        self.assertTrue((self.scratch / "build/compile_commands.json").exists())

    def test_one_target_of_a_cmake_project(self):
        project = ("cmake_minimum_required(VERSION 3.25)\nproject(P C CXX)\n"
                   f"set(HEDDLE_INSTRUMENT_PLUGIN {LIBRARY_DIR}/heddle_instrument.so)\n"
                   f"set(HEDDLE_PRELUDE {LIBRARY_DIR}/include)\nset(HEDDLE_RUNTIME_DIR {LIBRARY_DIR})\n"
                   f"set(HEDDLE_CLANG_VERSION {os.environ['HEDDLE_TEST_CLANG_VERSION']})\n"
                   f"include({os.environ['HEDDLE_TEST_CMAKE_MODULE']})\n"
                   "add_library(next SHARED library.cpp)\nadd_executable(main main.cpp)\n"
                   "target_link_libraries(main next)\nheddle_instrument(next)\n")
        (self.scratch / "CMakeLists.txt").write_text(project)
        clang = {"CC": CLANG, "CXX": os.environ["HEDDLE_TEST_CLANGXX"]}
        self.call("cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", env=clang)
        self.call("cmake", "--build", "build")
        self.check("build/main", modules=1)
        self.assertEqual({site["line"] for site in self.run_program("build/main").report["sites"]}, {1})
        # A changed pass is a reason to compile again.
        (LIBRARY_DIR / "heddle_instrument.so").touch()
        self.assertIn("library.cpp.o", self.call("ninja", "-C", "build", "-n", "-v").stdout)
        done = self.call("cmake", "-S", ".", "-B", "gcc", "-G", "Ninja", env={"CC": "gcc", "CXX": "g++"}, expect=1)
        self.assertIn("heddle_instrument(next) needs clang", " ".join(done.stderr.split()))

    def test_meson_project(self):
        (self.scratch / "meson.build").write_text(
            "project('p', 'c', 'cpp')\nassert(meson.get_compiler('cpp').get_id() == 'clang')\n"
            "library = shared_library('next', 'library.cpp')\n"
            "executable('main', 'main.cpp', link_with: library, dependencies: dependency('threads'))\n")
        self.call("meson", "setup", "build", env=self.compilers)
        self.call("ninja", "-C", "build")
        self.check("build/main", modules=2)

    def test_make_with_a_static_library(self):
        (self.scratch / "Makefile").write_text("CXXFLAGS = -O2\nmain: main.o libnext.a\n\t$(CXX) $(CXXFLAGS) -o $@ $^\n"
                                               "libnext.a: library.o\n\t$(AR) rcs $@ $^\n")
        self.call("make", env=self.compilers)
        self.check("./main", modules=1)


if __name__ == "__main__":
    unittest.main()
