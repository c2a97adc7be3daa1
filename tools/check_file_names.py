#!/usr/bin/env python3
"""Names of files and folders: snake_case. Not snake_case are names that others give (README.md, CMakeLists.txt,
.clang-tidy), CMake modules (HeddleTest.cmake), kernels and benchmarks named after the program whose bug they have, test
data, and an architecture (x86_64.S). Design notes are named NNN_title.md, each number once.

usage: check_file_names.py ROOT"""
import pathlib
import re
import sys

from source_text import is_data, tree_files

SNAKE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*(\.[a-z0-9]+)*")
GIVEN = re.compile(r"CMakeLists\.txt|CMakePresets\.json|(README|ARCHITECTURE|CONTRIBUTING|CHANGELOG)\.md|LICENSE"
                   r"|\.[a-z-]+|Heddle[A-Za-z]+\.cmake(\.in)?|\w+_x86_64\.(S|inc)|breakpoints-\w+\.patch"
                   r"|c\+\+config\.h|commit-msg|__init__\.py")
NAMED_AFTER_ORIGINAL = ("kernels/", "bench/coredump/")


def problem_of(path):
    if is_data(path):
        return None
    for part in path.parts:
        original = str(path).startswith(NAMED_AFTER_ORIGINAL) and re.fullmatch(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*(\.cpp)?",
                                                                               part)
        if not (SNAKE.fullmatch(part) or GIVEN.fullmatch(part) or original):
            return f"{path}: '{part}' is not snake_case"
    if path.parts[:2] == ("docs", "design") and not re.fullmatch(r"\d{3}_[a-z0-9_]+\.md", path.name):
        return f"{path}: a design note is named NNN_title.md"
    return None


def used_twice(paths):
    numbers = sorted(int(path.name[:3]) for path in paths if path.parts[:2] == ("docs", "design")
                     and path.name[:3].isdigit())
    return [f"docs/design: number {number:03} is used twice" for number in sorted(set(numbers))
            if numbers.count(number) > 1]


def main():
    paths = tree_files(pathlib.Path(sys.argv[1]))
    problems = [problem for problem in map(problem_of, paths) if problem] + used_twice(paths)
    print("\n".join(problems) or f"{len(paths)} files are named by the scheme")
    sys.exit(bool(problems))


main()
