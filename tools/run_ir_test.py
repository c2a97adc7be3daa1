#!/usr/bin/env python3
"""Runs the `// RUN:` lines of one source file: compile with the pass, check the IR with FileCheck.
The part of LLVM's lit that Heddle needs. Tests are C and C++, not IR, so that they hold for every LLVM version."""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("file", type=pathlib.Path)
for tool in ("clang", "filecheck", "plugin", "prelude"):
    parser.add_argument(f"--{tool}", required=True)
args = parser.parse_args()

lines = re.findall(r"^// RUN: (.*)$", args.file.read_text(), re.MULTILINE)
if not lines:
    sys.exit(f"{args.file}: no RUN line")
compile_ir = f"{args.clang} -g1 -S -emit-llvm -fpass-plugin={args.plugin} -isystem {args.prelude} -o -"
with tempfile.TemporaryDirectory() as scratch:
    replacements = {
        "%compile": compile_ir,
        "%FileCheck": f"{args.filecheck} {shlex.quote(str(args.file))}",
        "%clang": args.clang,
        "%prelude": args.prelude,
        "%s": shlex.quote(str(args.file)),
        "%t": f"{scratch}/output",
    }
    for line in lines:
        for word, value in replacements.items():
            line = line.replace(word, value)
        if subprocess.run(["bash", "-o", "pipefail", "-c", line]).returncode != 0:
            sys.exit(f"{args.file}: failed: {line}")
