#!/usr/bin/env python3
"""Every C and C++ file is as clang-format-19 writes it (`./dev format`). Not tests/instrument/, whose CHECK lines stand
where they stand.

usage: check_format.py ROOT [--fix | FILE...]"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

from source_text import is_data, tree_files

FILES_AT_ONCE = 40


def is_formatted_text(path):
    return path.suffix in {".cpp", ".h", ".c"} and not is_data(path) and not str(path).startswith("tests/instrument/")


def complaints(root, files):
    """One line for each place that clang-format would change."""
    done = subprocess.run(["clang-format-19", "--dry-run", "-Werror", *files], cwd=root, capture_output=True, text=True)
    if done.returncode == 0:
        return []
    return [line for line in done.stderr.splitlines() if "error:" in line] or [done.stderr]


def main():
    root = pathlib.Path(sys.argv[1])
    names = [name for name in sys.argv[2:] if not name.startswith("--")]
    files = names or [str(path) for path in tree_files(root) if is_formatted_text(path)]
    if "--fix" in sys.argv:
        sys.exit(subprocess.run(["clang-format-19", "-i", *files], cwd=root).returncode)
    parts = [files[begin:begin + FILES_AT_ONCE] for begin in range(0, len(files), FILES_AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [line for lines in pool.map(lambda part: complaints(root, part), parts) for line in lines]
    in_files = len({line.split(":")[0] for line in problems})
    print("\n".join([*problems, f"{in_files} files are not formatted: run ./dev format"]) if problems
          else f"{len(files)} files are formatted")
    sys.exit(bool(problems))


main()
