"""The tests of libstdc++ for threads and atomics. The comments `dg-...` of each say how it is compiled and where it
runs; dejagnu and a build of gcc are not needed for that."""
import re

from . import sources
from .suite import Suite, Test, compiled

DEFAULT_STANDARD = "gnu++17"
FLAGS = ["-g", "-O2", "-w", "-D_GNU_SOURCE", "-D_GLIBCXX_ASSERT", "-pthread"]
YEARS = {"98": 1998, "03": 2003, "11": 2011, "14": 2014, "17": 2017, "2a": 2020, "20": 2020, "2b": 2023, "23": 2023}


def directives(text):
    """[(name, rest)] of the comments."""
    return [(match[1], match[2].strip())
            for match in re.finditer(r"\{\s*(dg-[\w-]+)\s*((?:[^{}]|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})*)\}", text)]


def applies(selector, year):
    """Is this "target ..." one that we are? A word that is neither a version of C++ nor a triple holds: where it does
    not, the test fails natively too."""
    words = re.findall(r"c\+\+\w+|\*[^\s{}]*|[\w-]+(?:\*[\w*-]*)+|\|\||&&", selector)
    holds = []
    for word in words:
        if version := re.fullmatch(r"c\+\+(\w\w)(_only|_down)?", word):
            wanted = YEARS[version[1]]
            holds.append({None: year >= wanted, "_only": year == wanted, "_down": year <= wanted}[version[2]])
        elif "*" in word:
            holds.append(word == "*-*-*" or "linux" in word or "gnu" in word or "x86_64" in word)
    return (any if "||" in words or "*" in selector else all)(holds) if holds else True


def standard_of(found):
    for name, rest in found:
        if name == "dg-options" and (match := re.search(r"-std=(\S+?)[\"\s]", rest)):
            return match[1]
    return DEFAULT_STANDARD


def target_of(rest):
    match = re.search(r"\{\s*target\s+(.*)\}", rest, re.S)
    return match[1] if match else ""


def plan_of(text):
    """The flags of a test that runs here, or None."""
    found = directives(text)
    standard = standard_of(found)
    year = YEARS[re.search(r"\+\+(\w\w)", standard)[1]]
    flags = [f"-std={standard}"]
    for name, rest in found:
        if name == "dg-do" and (not rest.startswith("run") or not applies(target_of(rest), year)):
            return None
        if name == "dg-require-effective-target" and not applies(rest, year):
            return None
        if name == "dg-xfail-run-if" and applies(re.sub(r'^"[^"]*"', "", rest), year):
            return None
        if name in ("dg-options", "dg-additional-options") and applies(target_of(rest), year):
            options = re.match(r'"([^"]*)"', rest)
            flags += [flag for flag in (options[1].split() if options else []) if not flag.startswith("-std=")]
        if name == "dg-add-options" and "libatomic" in rest:
            flags.append("-latomic")
    return None if "-static" in flags else flags


class Libstdcxx(Suite):
    name = "libstdcxx"
    title = "libstdc++, 30_threads and 29_atomics"
    package = "gcc-12"
    left_out_list = "libstdcxx_left_out.txt"

    def fetch(self):
        self.source = sources.unpacked_part(self.package, self.folder.parent, "*/gcc-*-dfsg.tar.xz",
                                            "*/libstdc++-v3/testsuite/*") / "libstdc++-v3/testsuite"

    def tests(self):
        found = []
        for folder in ("30_threads", "29_atomics"):
            for path in sorted((self.source / folder).rglob("*.cc")):
                flags = plan_of(path.read_text(errors="replace"))
                if flags is not None:
                    found.append(Test(str(path.relative_to(self.source).with_suffix("")), path, flags))
        return found

    def build(self, test, variant, program):
        flags = [flag for flag in test.flags if not flag.startswith("-l")]
        libraries = [flag for flag in test.flags if flag.startswith("-l")]
        compiled([variant.cxx, *FLAGS, *flags, f"-I{self.source / 'util'}", test.source, "-o", program, *libraries],
                 test.source.parent)
