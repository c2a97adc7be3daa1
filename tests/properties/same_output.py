#!/usr/bin/env python3
"""Law: a program whose result does not depend on the schedule prints the same natively, instrumented, with everything
armed under control on both engines, and with nothing armed."""
import argparse
import subprocess

from heddle_tool import fail

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("native")
parser.add_argument("instrumented")
parser.add_argument("arguments", nargs="*")
args = parser.parse_args()


def output_of(*command):
    done = subprocess.run([*command, *args.arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if done.returncode != 0:
        fail(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


expected = output_of(args.native)
ways = {"instrumented": [args.instrumented]}
for engine in ("fiber", "thread"):
    for arm in ("all", "none"):
        ways[f"{engine}, {arm} armed"] = [args.heddle, "run", "--quiet", "--engine", engine, "--arm", arm, "--quantum",
                                          "1000", "--", args.instrumented]
for way, command in ways.items():
    if output_of(*command) != expected:
        fail(f"{way}: {' '.join(command + args.arguments)} prints something else than {args.native}")
print(f"{len(ways)} ways, one output")
