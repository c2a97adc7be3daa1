"""The tests of Boost.Thread and Boost.Fiber. The libraries that they need are compiled from the same source with
the same compiler, without Boost's build system."""
from . import sources
from .suite import Suite, Test, compiled

FLAGS = ["-g", "-O2", "-w", "-std=gnu++14", "-pthread", "-DBOOST_ALL_NO_LIB", "-DBOOST_CHRONO_HEADER_ONLY"]
TEST_FRAMEWORK = ("compiler_log_formatter", "debug", "decorator", "execution_monitor", "framework",
                  "junit_log_formatter", "plain_report_formatter", "progress_monitor", "results_collector",
                  "results_reporter", "test_framework_init_observer", "test_tools", "test_tree", "unit_test_log",
                  "unit_test_main", "unit_test_monitor", "unit_test_parameters", "xml_log_formatter",
                  "xml_report_formatter")
# Files that must not compile, and those that are parts of others.
NOT_PROGRAMS = ("_fail", "_f")


class Boost(Suite):
    package = "boost1.74"
    library = ""        # the folder in libs/
    sources_of = ()     # what the tests need, in libs/
    defines = ()

    def fetch(self):
        self.source = sources.unpacked(self.package, self.folder.parent)

    def tests(self):
        folder = self.source / "libs" / self.library / "test"
        return [Test(str(path.relative_to(folder).with_suffix("")), path) for path in sorted(folder.rglob("*.cpp"))
                if not path.stem.endswith(NOT_PROGRAMS)
                and any(word in path.read_text(errors="replace") for word in ("main", "unit_test"))]

    def archive(self, variant):
        return self.folder / "build" / variant.name / "libboost.a"

    def flags(self):
        return [*FLAGS, *self.defines, *(f"-I{path}" for path in sorted(self.source.glob("libs/*/include"))),
                *(f"-I{path}" for path in sorted(self.source.glob("libs/*/*/include")))]

    def prepare(self, variant):
        archive = self.archive(variant)
        if archive.exists():
            return
        archive.parent.mkdir(parents=True, exist_ok=True)
        objects = []
        for unit in (*self.sources_of, *(f"test/src/{name}.cpp" for name in TEST_FRAMEWORK)):
            objects.append(archive.parent / (unit.replace("/", "_") + ".o"))
            compiler = [variant.cc] if unit.endswith(".S") else [variant.cxx, *self.flags()]
            compiled([*compiler, "-c", self.source / "libs" / unit, "-o", objects[-1]], archive.parent)
        compiled(["ar", "rcs", archive, *objects], archive.parent)

    def build(self, test, variant, program):
        compiled([variant.cxx, *self.flags(), test.source, "-o", program, self.archive(variant)], test.source.parent)


class BoostThread(Boost):
    name = "boost_thread"
    title = "Boost.Thread"
    library = "thread"
    sources_of = ("thread/src/pthread/thread.cpp", "thread/src/pthread/once.cpp", "thread/src/future.cpp")
    defines = ("-DBOOST_THREAD_BUILD_LIB=1", "-DBOOST_THREAD_POSIX",
               "-DBOOST_THREAD_THROW_IF_PRECONDITION_NOT_SATISFIED")


class BoostFiber(Boost):
    name = "boost_fiber"
    title = "Boost.Fiber"
    library = "fiber"
    sources_of = (
        *(f"fiber/src/{name}.cpp" for name in (
            "algo/algorithm", "algo/round_robin", "algo/shared_work", "algo/work_stealing", "barrier",
            "condition_variable", "context", "fiber", "future", "mutex", "properties", "recursive_mutex",
            "recursive_timed_mutex", "scheduler", "timed_mutex")),
        *(f"context/src/asm/{name}_x86_64_sysv_elf_gas.S" for name in ("make", "jump", "ontop")),
        "context/src/posix/stack_traits.cpp")
