"""The Open POSIX Test Suite. A test is a C file N-M.c with a `main`; it exits with 0 if it passes."""
import re

from . import sources
from .suite import Suite, Test, compiled

# The flags of its Makefile, without -Werror: clang and a newer libc warn where the compilers of its time did not.
# Headers of its time included signal.h, which some tests count on.
FLAGS = ["-g", "-O2", "-w", "-std=gnu99", "-D_POSIX_C_SOURCE=200112L", "-include", "signal.h",
         "-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion",
         "-Wno-error=incompatible-function-pointer-types"]


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
        compiled([variant.cc, *FLAGS, f"-I{self.source / 'include'}", test.source, "-o", program, "-pthread", "-lrt",
                  "-lm"], test.source.parent)
