#!/usr/bin/env python3
"""Golden: of each program the lines marked "in" are what its failure depends on, those marked "out" are not. One
program for each kind of dependence, built without and with optimisation. A recorded run has the slice of one
that is sliced live."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "properties"))
from heddle_tool import Heddle, fail

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--compiler", required=True)
parser.add_argument("source", type=pathlib.Path)
args = parser.parse_args()
heddle = Heddle(args.heddle)


def marked(mark):
    return {number for number, line in enumerate(args.source.read_text().splitlines(), 1)
            if re.search(rf"//\s*{mark}\b", line)}


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for level in ("-O0", "-O1"):
        program, clip, trace = (folder / f"{name}{level}" for name in ("program", "failure.clip", "failure.htrace"))
        subprocess.run([args.compiler, "-std=c++20", level, "-g", "-UNDEBUG", args.source, "-o", program, "-pthread"],
                       check=True, env={**os.environ, "HEDDLE_HOOKS": "branches"})
        report, code = heddle("run", "--strategy", "sequential", "--clip", clip, "--record", trace, "--flow", "--",
                              program)
        if code != 1:
            fail(f"{level}: the program did not fail: {report}")
        slice_, code = heddle("trace", "slice", clip)
        if code != 0:
            fail(f"{level}: exit {code}: {slice_}")
        lines = {line["line"] for line in slice_["lines"] if line["file"].endswith(args.source.name)}
        missing, wrong = marked("in") - lines, marked("out") & lines
        if missing or wrong:
            fail(f"{level}: not in the slice but should be: lines {sorted(missing)}; "
                 f"in it but should not: {sorted(wrong)}; "
                 f"the slice: {sorted(lines)}")
        recorded, code = heddle("trace", "slice", trace)
        for key in ("outcome", "events", "relevant", "lines", "threads"):
            if code != 0 or recorded[key] != slice_[key]:
                fail(f"{level}: exit {code}: {key} of the trace: {recorded.get(key, recorded)}; "
                     f"of the clip: {slice_[key]}")
