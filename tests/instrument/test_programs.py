"""A single-threaded program prints the same with and without Heddle, whatever is armed and however it is compiled."""
import os
import unittest

import toolchain
from toolchain import CLANG, HEDDLE_CC, HEDDLE_CXX, HERE

OPTION_SETS = [
    ["-O0"],
    ["-O2"],
    ["-O3", "-mavx2"],
    ["-O2", "-flto=thin", "-fuse-ld=lld", "-Wl,--gc-sections", "-ffunction-sections"],
    ["-O1", "-fsanitize=address,undefined"],
    ["-Os", "-fprofile-instr-generate", "-fcoverage-mapping", "-D_FORTIFY_SOURCE=2", "-fstack-protector-all"],
]


class ProgramTest(toolchain.ToolchainTest):
    def test_prints_the_same(self):
        source = HERE / "programs" / os.environ["HEDDLE_TEST_PROGRAM"]
        language = ["-std=c++20"] if source.suffix == ".cpp" else []
        mode = "g++" if source.suffix == ".cpp" else "gcc"
        driver = HEDDLE_CXX if source.suffix == ".cpp" else HEDDLE_CC
        self.call(CLANG, f"--driver-mode={mode}", *language, "-w", "-O1", source, "-o", "plain")
        expected = self.call("./plain").stdout
        for options in OPTION_SETS:
            if "-mavx2" in options and not cpu_has_avx2():
                continue
            with self.subTest(options=options):
                options = [*language, "-w", *options]
                self.call(driver, *options, source, "-o", "instrumented")
                for armed in (False, True):
                    # LeakSanitizer does not know the counting runtime's own memory.
                    run = self.run_program("./instrumented", armed=armed,
                                           env={"LLVM_PROFILE_FILE": "/dev/null", "ASAN_OPTIONS": "detect_leaks=0"})
                    self.assertEqual(run.stdout, expected)
                    self.assertEqual(toolchain.hits(run.report) > 0, armed)
                self.assert_sound(run.report)


class StringAppendTest(toolchain.ToolchainTest):
    def test_sees_each_append_to_a_string(self):
        for options in (["-O0"], ["-O2"], ["-O2", "-std=c++11"], ["-O2", "-std=c++20"]):
            with self.subTest(options=options):
                self.call(HEDDLE_CXX, *options, HERE / "programs/string_appends.cpp", "-o", "appends")
                run = self.run_program("./appends")
                self.assertGreater(toolchain.hits(run.report), 1000)
                writes = toolchain.hits(run.report, [toolchain.WRITE, toolchain.RANGE_WRITE])
                self.assertGreater(writes, 1000)


def cpu_has_avx2():
    with open("/proc/cpuinfo") as info:
        return " avx2 " in info.read()


if __name__ == "__main__":
    unittest.main()
