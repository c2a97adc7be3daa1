#!/usr/bin/env python3
"""Law: recording streams to disk; neither the program with the runtime in it nor heddle grows with the length of a
run."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

from heddle_tool import fail

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("program")
args = parser.parse_args()

MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_kilobytes(steps):
    with tempfile.TemporaryDirectory() as scratch:
        command = [args.heddle, "run", "--quiet", "--strategy", "sequential", "--record",
                   str(pathlib.Path(scratch) / "t.htrace"),
                   "--", args.program, str(steps)]
        done = subprocess.run([sys.executable, "-c", MEASURE, *command], stdout=subprocess.PIPE, text=True, check=True)
        return int(done.stdout)


short, long = peak_kilobytes(3_000_000), peak_kilobytes(60_000_000)
if long > short + 8_000:
    fail(f"3 million steps take {short} KB, 60 million take {long} KB")
print(f"3 million steps: {short} KB, 60 million: {long} KB")
