#!/usr/bin/env python3
"""Every file is used. A source under src/ is built: its folder's CMakeLists.txt takes all files (heddle_module,
heddle_sources) or names it; a header under src/ is included by some file or named there. Any other file is named by
another one, with or without its suffix, or stands in a folder whose CMakeLists.txt takes all. Commented-out names do
not count.

usage: check_dead_files.py ROOT"""
import collections
import pathlib
import re
import sys

from source_text import is_data, kind_of, tree_files

# Tools find these by their names, in a fixed place.
FOUND_BY_NAME = re.compile(r"(.*/)?CMakeLists\.txt|CMakePresets\.json|.*/__init__\.py|(.*/)?\.[\w/-]+|LICENSE|dev")
SOURCES = {".cpp", ".c", ".S", ".h", ".def", ".inc"}


def unused_sources(root):
    files = [path for path in sorted((root / "src").rglob("*")) if path.suffix in SOURCES]
    included = set()
    for path in [*files, *(root / "tests").rglob("*.c*"), *(root / "tests").rglob("*.h"),
                 *(root / "bench").rglob("*.c*"), *(root / "src").rglob("*.in")]:
        if path.is_file():
            included |= set(re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text(errors="replace"), re.M))
    for path in files:
        inside = path.relative_to(root)
        folder = path.parent
        while not (folder / "CMakeLists.txt").exists():
            folder = folder.parent
        text = re.sub(r"#.*", "", (folder / "CMakeLists.txt").read_text())
        is_named = str(path.relative_to(folder)) in re.split(r"[\s()]+", text)
        if path.suffix in {".h", ".def", ".inc"}:
            if not is_named and "/".join(inside.parts[2:]) not in included:
                yield f"{inside} is not included by any file"
        elif not is_named and (path.stem.endswith("_benchmark") or
                               not re.search(r"\bheddle_(module|sources)\(", text)):
            yield f"{inside} is not built by {folder.relative_to(root)}/CMakeLists.txt"


def taken_as_a_whole(root, path):
    """By a GLOB of the nearest CMakeLists.txt, or as a folder that it names."""
    folder = path.parent
    while folder.parts:
        listed = root / folder / "CMakeLists.txt"
        if listed.exists():
            text = listed.read_text()
            return "GLOB" in text and folder == path.parent or any(
                re.search(rf"[/\s]{re.escape(part)}[/\s)\"*]", text) for part in path.relative_to(folder).parts[:-1])
        folder = folder.parent
    return False


def words_of(root, paths):
    """{word: files that contain it}"""
    used_in = collections.defaultdict(set)
    for path in paths:
        if kind_of(path):
            text = re.sub(r"^\s*(#(?!\s*include)|//).*", "", (root / path).read_text(), flags=re.M)
            for word in set(re.findall(r"[\w+.-]+", text)):
                used_in[word].add(path)
    return used_in


def unnamed_files(root):
    paths = tree_files(root)
    used_in = words_of(root, paths)
    for path in paths:
        if path.parts[0] in {"src", "kernels"} or path.suffix == ".md" or is_data(path) or \
                FOUND_BY_NAME.fullmatch(str(path)) or taken_as_a_whole(root, path):
            continue
        stem = path.name.split(".")[0]
        names = {path.name, stem, re.sub(r"^(test|check|fuzz|heddle)_|_test$", "", stem)}
        if not any(used_in[name] - {path} for name in names):
            yield f"{path} is not named by any other file"


def main():
    root = pathlib.Path(sys.argv[1])
    dead = [*unused_sources(root), *unnamed_files(root)]
    print("\n".join(dead) or "every file is used")
    sys.exit(bool(dead))


main()
