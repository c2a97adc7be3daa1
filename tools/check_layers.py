#!/usr/bin/env python3
"""Every #include "x/..." under src/ must be allowed by tools/layers.txt, and code that runs inside the program under test
includes no header that needs the C++ library at run time."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
allowed = {}
for line in (root / "tools/layers.txt").read_text().splitlines():
    if ":" in line and not line.startswith("#"):
        folder, _, below = line.partition(":")
        allowed[folder.strip()] = set(below.split())

IN_TARGET = {"base", "abi", "format", "schedule", "runtime"}
# Headers of C++ that are templates and constants only. C and system headers are runtime's business alone.
FREESTANDING = {"algorithm", "array", "atomic", "bit", "cstddef", "cstdint", "iterator", "limits", "new", "optional", "span",
                "type_traits", "utility"}
HOST_ONLY = {"abi/site_name.h"}  # shared by the pass and the host; never compiled into the runtime
errors = []
for path in sorted((root / "src").rglob("*")):
    if path.suffix not in {".h", ".cpp", ".c", ".def"}:
        continue
    inside = path.relative_to(root / "src")
    folder = inside.parts[0]
    if folder not in allowed:
        errors.append(f"{inside}: folder '{folder}' is not in tools/layers.txt")
        continue
    is_test = path.stem.endswith(("_test", "_benchmark")) or path.stem in {"simulated_program"}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if own := re.match(r'\s*#include "(\w+)/', line):
            if own[1] != folder and own[1] not in allowed[folder]:
                errors.append(f"{inside}:{number}: {folder} may not include {own[1]}")
        if system := re.match(r"\s*#include <([\w./]+)>", line):
            cxx = "." not in system[1] and "/" not in system[1]
            plain_c = not cxx and folder == "runtime"
            if (folder in IN_TARGET and not is_test and str(inside) not in HOST_ONLY and system[1] not in FREESTANDING
                    and not plain_c and system[1] != "stdint.h"):
                errors.append(f"{inside}:{number}: <{system[1]}> needs more than the program under test offers")
print("\n".join(errors) or f"{len(allowed)} layers respected")
sys.exit(bool(errors))
