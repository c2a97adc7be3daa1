#!/usr/bin/env python3
"""Law: of a program that is not deterministic `heddle check` names the first event that differs, with the stack of each
side."""
import argparse
import pathlib
import subprocess
import tempfile

from heddle_tool import Heddle, fail

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--compiler", required=True)
parser.add_argument("source", type=pathlib.Path)
args = parser.parse_args()
heddle = Heddle(args.heddle)

with tempfile.TemporaryDirectory() as folder:
    program = pathlib.Path(folder) / "differs"
    subprocess.run([args.compiler, "-std=c++20", "-O0", "-g", str(args.source), "-o", str(program), "-pthread"],
                   check=True)
    runs = pathlib.Path(folder) / "runs"
    runs.write_text("0")
    report, code = heddle("check", "--", program, runs)
    if code != 1 or report["deterministic"]:
        fail(f"exit {code}: {report}")
    for side, own in (("first", "go_left"), ("second", "go_right")):
        functions = [frame["function"] for frame in report["first_difference"][side]["stack"]]
        if not any(own in function for function in functions) or not any("decide" in function
                                                                         for function in functions):
            fail(f"the {side} side's stack is {functions}, without {own} and decide: {report['first_difference']}")
print("both sides have their stacks")
