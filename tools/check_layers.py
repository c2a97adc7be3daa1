#!/usr/bin/env python3
"""Holds src/ to tools/layers.txt: every folder stands in its group, every #include of another folder is permitted
there, every permission is used, folders may only include folders that are listed before them (so there is no cycle),
and freestanding groups see no header that needs the C++ library at run time, nor a group that is not freestanding. Unit
tests may include tests/support/ as well."""
import pathlib
import re
import sys

# Headers of C++ that are templates and constants only.
FREESTANDING = {"algorithm", "array", "atomic", "bit", "cstddef", "cstdint", "iterator", "limits", "new", "optional",
                "span", "type_traits", "utility"}
HOST_ONLY = {"abi/site_name.h"}  # shared by the pass and the host; never compiled into the runtime
C_LIBRARY = {"runtime", "production"}  # folders that call libc and the kernel
SUFFIXES = {".h", ".cpp", ".c", ".def", ".S", ".inc"}


class Layers:
    def __init__(self, text):
        self.group, self.below, self.freestanding = {}, {}, set()
        group = None
        for line in text.splitlines():
            if header := re.match(r"\[(\w+)\](.*)", line):
                group = header[1]
                if header[2].strip() == "freestanding":
                    self.freestanding.add(group)
            elif rule := re.match(r"(\w+):(.*)", line):
                self.group[rule[1]] = group
                self.below[rule[1]] = rule[2].split()

    def problems(self):
        listed = []
        for folder, below in self.below.items():
            for other in below:
                if other not in listed:
                    yield f"layers.txt: {folder} may include {other}, which is not listed before it"
                elif self.group[folder] in self.freestanding and self.group[other] not in self.freestanding:
                    yield f"layers.txt: {folder} is freestanding and {other} is not"
            listed.append(folder)


def is_test(path):
    return path.stem.endswith(("_test", "_benchmark")) or path.stem == "simulated_program"


def check_file(path, inside, layers, used):
    """`inside`: the path below the group."""
    folder = inside.parts[0]
    freestanding = layers.group[folder] in layers.freestanding and not is_test(path) and str(inside) not in HOST_ONLY
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if own := re.match(r'\s*#\s*include "(\w+)/', line):
            if own[1] == folder or (own[1] == "tests" and is_test(path)):
                continue
            used.add((folder, own[1]))
            if own[1] not in layers.below[folder]:
                yield f"{inside}:{number}: {folder} may not include {own[1]}"
        if system := re.match(r"\s*#\s*include <([\w./]+)>", line):
            cxx = "." not in system[1] and "/" not in system[1]
            plain_c = not cxx and (folder in C_LIBRARY or system[1] == "stdint.h")
            if freestanding and system[1] not in FREESTANDING and not plain_c:
                yield f"{inside}:{number}: <{system[1]}> needs more than the program under test offers"


def main():
    root = pathlib.Path(sys.argv[1])
    layers = Layers((root / "tools/layers.txt").read_text())
    errors = list(layers.problems())
    used = set()
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        group, folder = path.relative_to(root / "src").parts[:2]
        if layers.group.get(folder) != group:
            errors.append(f"src/{group}/{folder}: tools/layers.txt has no such folder in [{group}]")
            continue
        errors += check_file(path, path.relative_to(root / "src" / group), layers, used)
    for folder, below in layers.below.items():
        errors += [f"layers.txt: {folder} may include {other}, and does not" for other in below
                   if (folder, other) not in used]
    print("\n".join(errors) or f"{len(layers.below)} layers respected")
    sys.exit(bool(errors))


main()
