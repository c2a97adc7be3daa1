"""libuv's tests: one program, which runs the test that it is given the name of. The runner of libuv starts the helpers
of a test, waits, and starts the test in a process of its own; here the test's process is the one under control, and the
helpers are native."""
import re
import subprocess

from . import sources
from .suite import BuildFailed, Suite, Test, compiled


class Libuv(Suite):
    name = "libuv"
    title = "libuv"
    package = "libuv1"
    jobs_max = 1

    def fetch(self):
        self.source = sources.unpacked(self.package, self.folder.parent)

    def tests(self):
        listed = re.sub(r"/\*.*?\*/", "", (self.source / "test/test-list.h").read_text(), flags=re.S)
        task_list = listed.split("TASK_LIST_START", 1)[1]
        windows = re.compile(r"^#\s*ifdef _WIN32.*?(?:^#\s*else(.*?))?^#\s*endif", re.S | re.M)
        task_list = windows.sub(lambda match: match[1] or "", task_list)
        self.helpers_of = {}
        for test, helper in re.findall(r"TEST_HELPER\s*\((\w+),\s*(\w+)\)", task_list):
            self.helpers_of.setdefault(test, []).append(helper)
        return [Test(name, self.source, arguments=[name, name])
                for name in re.findall(r"TEST_ENTRY(?:_CUSTOM)?\s*\((\w+)", task_list)]

    def prepare(self, variant):
        folder = self.folder / "build" / variant.name
        if (folder / "uv_run_tests").exists():
            return
        compiled(["cmake", "-S", self.source, "-B", folder, f"-DCMAKE_C_COMPILER={variant.cc}",
                  "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_C_FLAGS=-UNDEBUG -w"], self.folder)
        compiled(["cmake", "--build", folder, "--target", "uv_run_tests", "-j1"], self.folder)

    def built(self, test, variant):
        program = self.folder / "build" / variant.name / "uv_run_tests"
        if not program.exists():
            raise BuildFailed("uv_run_tests was not built")
        return program

    def beside(self):
        return (self.source / "test",)

    def helpers(self, test, program):
        return [[program, test.name, helper] for helper in self.helpers_of.get(test.name, [])]
