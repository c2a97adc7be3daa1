"""Site tables through the linkers: one row per site that was kept, in every executable and library."""
import itertools
import unittest

import toolchain
from toolchain import HEDDLE_CXX, HERE, rows

SOURCES = HERE / "linking"
LINKERS = ["-fuse-ld=bfd", "-fuse-ld=lld"]
KEPT_BY_FIRST = "_Z12never_calledPi"


class LinkingTest(toolchain.ToolchainTest):
    def compile(self, *names, options=("-O2",)):
        for name in names:
            self.call(HEDDLE_CXX, *options, "-fPIC", "-c", SOURCES / f"{name}.cpp", "-o", f"{name}.o")

    def check_program(self, run):
        """A template in two units and a library: one instance in each module."""
        self.assert_sound(run.report)
        self.assertEqual(len(run.report["modules"]), 2)
        instances = rows(run.report, "_Z4bumpIiET_PS0_")
        self.assertEqual(len(instances), 4)  # a read and a write in each of the two modules
        for module in (0, 1):
            names = [site["name"] for site in run.report["sites"] if site["module"] == module]
            self.assertEqual(len(names), len(set(names)))
        # Functions local to a unit, written in a header: same lines, names of their own.
        local = rows(run.report, "_ZL10local_readPi")
        self.assertEqual(len(local), 3)
        self.assertEqual(len({site["name"] for site in local}), 3)
        for site in run.report["sites"]:
            if site["function"] != KEPT_BY_FIRST and "bump" in site["function"] and site["module"] == 1:
                self.assertGreater(site["hits"], 0, site)

    def test_one_instance_of_a_template_in_each_module(self):
        for linker, sections in itertools.product(LINKERS, (False, True)):
            with self.subTest(linker=linker, gc_sections=sections):
                options = ["-ffunction-sections"] if sections else []
                link = [linker] + (["-Wl,--gc-sections"] if sections else [])
                self.compile("first", "second", "library", "main", options=["-O2", *options])
                # The library keeps its own instance, and so does the program.
                self.call(HEDDLE_CXX, *link, "-shared", "-Wl,-Bsymbolic", "library.o", "-o", "liblibrary.so")
                self.call(HEDDLE_CXX, *link, "first.o", "second.o", "main.o", "-L.", "-llibrary", "-Wl,-rpath,.",
                          "-o", "program")
                run = self.run_program("./program")
                self.check_program(run)
                self.assertEqual(len(rows(run.report, KEPT_BY_FIRST)), 0 if sections else 1)

    def test_static_library_and_partial_link(self):
        self.compile("first", "second", "library", "main")
        for linker in LINKERS:
            with self.subTest(linker=linker):
                self.call("ar", "rcs", "libunits.a", "first.o", "second.o")
                self.call(HEDDLE_CXX, linker, "main.o", "library.o", "-L.", "-lunits", "-o", "from_archive")
                archive = self.run_program("./from_archive")
                self.assert_sound(archive.report)
                self.call(HEDDLE_CXX, linker, "-r", "first.o", "second.o", "-o", "both.o")
                self.call(HEDDLE_CXX, linker, "main.o", "library.o", "both.o", "-o", "from_partial")
                partial = self.run_program("./from_partial")
                self.assert_sound(partial.report)
                self.assertEqual(len(archive.report["modules"]), 1)
                self.assertEqual(len(archive.report["sites"]), len(partial.report["sites"]))

    def test_a_loaded_library_registers_and_unregisters(self):
        self.compile("first", "second")
        self.compile("library", options=["-O2"])
        self.call(HEDDLE_CXX, "-shared", "library.o", "-o", "plugin.so")
        self.call(HEDDLE_CXX, "-O2", "-DLOAD_AT_RUN_TIME", SOURCES / "main.cpp", "first.o", "second.o", "-ldl",
                  "-o", "program")
        run = self.run_program("./program", "./plugin.so", env={"HEDDLE_TEST_UNLOADS": "1"})
        self.assertEqual(len(run.report["modules"]), 2)
        self.assertFalse(run.report["modules"][1]["is_loaded"])
        self.assertGreater(run.report["modules"][1]["rows"], 0)

    def test_names_do_not_depend_on_the_build_around_them(self):
        self.compile("first", "second", "library", "main")
        self.call(HEDDLE_CXX, "first.o", "second.o", "library.o", "main.o", "-o", "one")
        self.call(HEDDLE_CXX, "-fuse-ld=lld", "main.o", "library.o", "second.o", "first.o", "-o", "two")
        names = [{site["name"] for site in self.run_program(program).report["sites"]} for program in ("./one", "./two")]
        self.assertEqual(*names)

    def test_a_program_whose_sites_were_all_dropped(self):
        unused = self.scratch / "unused.c"
        unused.write_text("int unused(int* p) { return *p; }\nint main(void) { return 0; }\n")
        for linker in LINKERS:
            with self.subTest(linker=linker):
                self.call(toolchain.HEDDLE_CC, "-O2", "-ffunction-sections", "-Wl,--gc-sections", linker, unused, "-o",
                          "empty")
                run = self.run_program("./empty")
                self.assertEqual(run.report["sites"], [])


class RowTest(toolchain.ToolchainTest):
    def test_rows_say_what_is_written_in_the_source(self):
        source = self.scratch / "rows.c"
        source.write_text("int number;\n"
                          "void store(int* p, int v) {\n"
                          "  *p = v;\n"
                          "}\n"
                          "int main(void) { store(&number, 77); return number - 77; }\n")
        self.call(toolchain.HEDDLE_CC, "-O0", "rows.c", "-o", "rows")
        run = self.run_program("./rows")
        (site,) = rows(run.report, "store")
        position = [site[key] for key in ("file", "line", "column", "function_line")]
        self.assertEqual(position, ["rows.c", 3, 6, 2])
        self.assertEqual((site["kind"], site["size"]), (toolchain.WRITE, 4))
        self.assertEqual((site["hits"], site["last_value"]), (1, 77))


if __name__ == "__main__":
    unittest.main()
