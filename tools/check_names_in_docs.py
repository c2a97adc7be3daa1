#!/usr/bin/env python3
"""What documents name exists: a path in backticks or a link is in the tree; a verb after `heddle` and an option of the
command line are in the help of the tool.

usage: check_names_in_docs.py ROOT [HEDDLE]   (without HEDDLE: paths only)"""
import pathlib
import re
import subprocess
import sys

TOP = {"src", "include", "kernels", "bench", "tests", "docs", "tools", "cmake"}
# Documents of how the project was built, not of how it is used: they may name what is gone.
HISTORY = {"CHANGELOG.md", "docs/lab/moved.md"}
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]+)")
COMMAND = re.compile(r"(?:^|[\s`'\"/(|;])heddle ([a-z][a-z-]*)(?: ([a-z]+))?")


def missing_paths(root, document, text):
    """Of the tree, and of links relative to the document."""
    for number, line in enumerate(text.splitlines(), 1):
        for name in re.findall(r"`([\w./*-]+)`", line):
            if name.split("/")[0] in TOP and "/" in name and not any(root.glob(name.rstrip("/"))):
                yield f"{number}: {name} does not exist"
        for name in re.findall(r"\]\(([\w./-]+)(?:#[\w-]*)?\)", line):
            if not (document.parent / name).exists():
                yield f"{number}: {name} does not exist beside {document.name}"


class Help:
    """The verbs and options that the tool prints, and the commands that it adds to gdb."""

    def __init__(self, root, heddle):
        self.options = {"help": set()}
        for script in root.glob("src/**/heddle_gdb.py"):
            self.options |= {name: set() for name in re.findall(r'"heddle ([a-z-]+)"', script.read_text())}
        for verb in self.verbs_in(heddle):
            self.options[verb] = set()
            text = self.help_of(heddle, verb)
            for sub in [None, *re.findall(r"^  ([a-z]+) {2,}", text.partition("Subcommands:")[2], re.M)]:
                name = verb if sub is None else f"{verb} {sub}"
                self.options[name] = set(OPTION.findall(text if sub is None else self.help_of(heddle, verb, sub)))
        self.all_options = set().union(*self.options.values())

    @staticmethod
    def help_of(heddle, *verbs):
        return subprocess.run([heddle, *verbs, "--help"], capture_output=True, text=True, check=True).stdout

    def verbs_in(self, heddle):
        return re.findall(r"^  ([a-z]+) {2,}", self.help_of(heddle), re.M)

    def problems(self, code):
        """Of one line or span of code that begins with, or contains, a command."""
        for match in COMMAND.finditer(code):
            verb, sub = match[1], match[2]
            if verb not in self.options:
                yield f"heddle has no verb '{verb}'"
                continue
            name = f"{verb} {sub}" if f"{verb} {sub}" in self.options else verb
            own = re.split(r" -- |[|;]|&&|#", code[match.end():])[0]
            for option in OPTION.findall(own):
                if option not in self.options[name] | self.options[verb]:
                    yield f"'heddle {name}' has no option {option}"


def spans_of_code(text):
    """(number of the line, code): lines of code blocks, with those that a backslash continues, and what stands in
    backticks."""
    fenced, begun, held = False, 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif "did you mean" in line:
            continue  # an example of what is typed wrong
        elif fenced:
            held, begun = held + line.rstrip("\\"), begun or number
            if not line.endswith("\\"):
                yield begun, held
                held, begun = "", 0
        else:
            for span in re.findall(r"`([^`]+)`", line):
                yield number, span


def missing_names(shown, text):
    for number, code in spans_of_code(text):
        for problem in shown.problems(code):
            yield f"{number}: {problem}"
        # An option by itself: of some verb.
        if re.fullmatch(r"--[a-z][a-z-]+([ =].*)?", code):
            option = OPTION.match(code)[1]
            if option not in shown.all_options | OTHER_TOOLS:
                yield f"{number}: no verb has an option {option}"


# Options of other programs that documents name by themselves: of ./dev, bench/run.py, gdb, compilers and linkers.
OTHER_TOOLS = {"--version", "--help", "--long", "--only", "--rewrite", "--all", "--preset", "--args", "--coverage",
               "--gc-sections", "--no-as-needed"}


def main():
    root = pathlib.Path(sys.argv[1])
    shown = Help(root, sys.argv[2]) if len(sys.argv) > 2 else None
    problems = []
    for document in sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "kernels").glob("*.md")]):
        name, text = str(document.relative_to(root)), document.read_text()
        found = list(missing_paths(root, document, text)) if name not in HISTORY else []
        if shown and name not in HISTORY:
            found += missing_names(shown, text)
        problems += [f"{name}:{problem}" for problem in found]
    print("\n".join(problems) or "what the documents name exists")
    sys.exit(bool(problems))


main()
