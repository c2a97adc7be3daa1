#!/usr/bin/env python3
"""Every .cpp, .c and .S under src/ is named by the CMakeLists.txt of its module, so that no source or test can fall out of
the build unnoticed (commented-out names do not count)."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
dead = []
for source in sorted(p for p in (root / "src").rglob("*") if p.suffix in {".cpp", ".c", ".S"}):
    folder = source.parent
    while not (folder / "CMakeLists.txt").exists():
        folder = folder.parent
    text = re.sub(r"#.*", "", (folder / "CMakeLists.txt").read_text())
    if str(source.relative_to(folder)) not in re.split(r"[\s()]+", text):
        dead.append(f"{source.relative_to(root)} is not built by {folder.relative_to(root)}/CMakeLists.txt")
print("\n".join(dead) or "every source is built")
sys.exit(bool(dead))
