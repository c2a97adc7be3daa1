#!/usr/bin/env python3
"""CHANGELOG.md has a section for each release, newest first, and the first is that of the version in CMakeLists.txt."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
version = re.search(r"^project\(Heddle VERSION (\S+)", (root / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
headings = re.findall(r"^## (.*)$", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
problems = []
releases = []
for heading in headings:
    if re.fullmatch(r"\d+\.\d+\.\d+", heading):
        releases.append(tuple(map(int, heading.split("."))))
    else:
        problems.append(f"'## {heading}' is not a version")
if releases != sorted(set(releases), reverse=True):
    problems.append("the releases are not each once and newest first")
if headings[:1] != [version]:
    problems.append(f"the first section is {headings[:1]}, the version is {version}")
print("\n".join(problems) or "the releases are in order")
sys.exit(bool(problems))
