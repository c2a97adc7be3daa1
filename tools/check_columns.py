#!/usr/bin/env python3
"""No line of a source or document has more than 120 columns. In documents, tables, code blocks, pictures and the
addresses of links do not count; nor do the patterns of tests of emitted code (`// CHECK`), which have no second line.
Files of tools/columns_excepted.txt may still have some; each of them must.

usage: check_columns.py ROOT [--write-exceptions | FILE...]"""
import pathlib
import re
import sys

from source_text import judge_with_exceptions, kind_of, tree_files

COLUMNS = 120
KINDS = {"c", "python", "shell", "cmake", "markdown"}


def judged_lines(kind, text):
    """(number, what of the line counts)"""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if kind == "markdown":
            if line.lstrip().startswith("```"):
                fenced = not fenced
            if fenced or line.lstrip().startswith(("|", "<")):
                continue
            line = re.sub(r"\]\([^)]*\)", "]()", line)
        elif kind == "c" and re.match(r"// (CHECK|RUN)", line):
            continue
        if "https://" not in line:
            yield number, line


def main():
    root = pathlib.Path(sys.argv[1])
    names = [name for name in sys.argv[2:] if not name.startswith("--")]
    hits = {}
    for path in map(pathlib.PurePath, names) if names else tree_files(root):
        kind = kind_of(path)
        if kind in KINDS:
            long = [f"{path}:{number}: {len(line)} columns" for number,
                    line in judged_lines(kind, (root / path).read_text())
                    if len(line) > COLUMNS]
            if long:
                hits[path] = long
    problems = [line for lines in hits.values() for line in lines] if names else \
        judge_with_exceptions(root, "columns_excepted.txt", hits, "--write-exceptions" in sys.argv)
    print("\n".join(problems) or f"no line of more than {COLUMNS} columns outside of the {len(hits)} excepted files")
    sys.exit(bool(problems))


main()
