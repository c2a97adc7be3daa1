#!/usr/bin/env python3
"""An installed prefix has programs, licence and user guide, and the tool is small, there and in the build tree."""
import argparse
import pathlib
import sys

from package_files import SOURCE, TOOL_BYTES_MAX, problems_of

parser = argparse.ArgumentParser()
parser.add_argument("--prefix", type=pathlib.Path, required=True)
parser.add_argument("--build", type=pathlib.Path, required=True)
args = parser.parse_args()
files = {str(path.relative_to(args.prefix)): path.stat().st_size for path in args.prefix.rglob("*") if path.is_file()}
problems = problems_of(files)
built = (args.build / "bin/heddle").stat().st_size
if built > TOOL_BYTES_MAX:
    problems.append(f"bin/heddle of the build tree has {built} bytes, {TOOL_BYTES_MAX} are the bound")
if (args.prefix / "share/doc/heddle/LICENSE").read_bytes() != (SOURCE / "LICENSE").read_bytes():
    problems.append("the installed LICENSE is another one")
if "[Apache-2.0](LICENSE)" not in (SOURCE / "README.md").read_text():
    problems.append("README.md does not name the licence")
sys.exit("\n".join(problems) or 0)
