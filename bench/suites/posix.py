"""The Open POSIX Test Suite. A test is a C file N-M.c with a `main`; it exits with 0 if it passes."""
import re

from . import sources
from .suite import BuildFailed, Suite, Test, compiled

# The flags of its Makefile, without -Werror: clang and a newer libc warn where the compilers of its time did not.
FLAGS = ["-g", "-O2", "-w", "-std=gnu99", "-D_POSIX_C_SOURCE=200112L",
         "-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion",
         "-Wno-error=incompatible-function-pointer-types"]

# Other headers of its time included this one, and some tests forget it. Only for them: others choose what it declares.
FORGOTTEN = ["-include", "signal.h"]


class Posix(Suite):
    name = "posix"
    title = "Open POSIX Test Suite"
    package = "posixtestsuite"
    left_out_list = "posix_left_out.txt"

    def fetch(self):
        self.source = sources.unpacked(self.package, self.folder.parent)

    def tests(self):
        found = []
        for path in sorted((self.source / "conformance/interfaces").rglob("*.c")):
            if re.fullmatch(r"\d+-\d+\.c", path.name) and re.search(r"\bmain\s*\(", path.read_text(errors="replace")):
                name = path.relative_to(self.source / "conformance/interfaces").with_suffix("")
                found.append(Test(str(name), path))
        return found

    def build(self, test, variant, program):
        command = [variant.cc, *FLAGS, f"-I{self.source / 'include'}", test.source, "-o", program, "-pthread", "-lrt",
                   "-lm"]
        try:
            compiled(command, test.source.parent)
        except BuildFailed:
            compiled([*command, *FORGOTTEN], test.source.parent)
