#!/usr/bin/env python3
"""Every source under src/ is built: its folder's CMakeLists.txt takes all files (heddle_module, heddle_sources) or names it.
Every header is included by some file or named there. Commented-out names do not count."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
files = [path for path in sorted((root / "src").rglob("*")) if path.suffix in {".cpp", ".c", ".S", ".h", ".def", ".inc"}]
included = set()
for path in [*files, *(root / "tests").rglob("*.c*"), *(root / "tests").rglob("*.h"), *(root / "bench").rglob("*.c*"),
             *(root / "src").rglob("*.in")]:
    if path.is_file():
        included |= set(re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text(errors="replace"), re.M))
dead = []
for path in files:
    inside = path.relative_to(root)
    folder = path.parent
    while not (folder / "CMakeLists.txt").exists():
        folder = folder.parent
    text = re.sub(r"#.*", "", (folder / "CMakeLists.txt").read_text())
    is_named = str(path.relative_to(folder)) in re.split(r"[\s()]+", text)
    if path.suffix in {".h", ".def", ".inc"}:
        if not is_named and "/".join(inside.parts[2:]) not in included:
            dead.append(f"{inside} is not included by any file")
    elif not is_named and (path.stem.endswith("_benchmark") or not re.search(r"\bheddle_(module|sources)\(", text)):
        dead.append(f"{inside} is not built by {folder.relative_to(root)}/CMakeLists.txt")
print("\n".join(dead) or "every source is built, every header is included")
sys.exit(bool(dead))
