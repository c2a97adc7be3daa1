#!/usr/bin/env python3
"""Law: recording changes nothing. A recorded run takes its own path through the hooks, and asks the strategy at the
same points nevertheless: its schedule is the one of a run that is not recorded, however often it switches."""
import argparse
import pathlib
import tempfile

from heddle_tool import Heddle, fail

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("program", nargs=argparse.REMAINDER)
args = parser.parse_args()
heddle = Heddle(args.heddle)

STRATEGIES = [("random", "--quantum", quantum) for quantum in (1, 2, 3, 10, 100, 10000)]
STRATEGIES += [("round-robin", "--quantum", 7), ("pct",), ("pos",), ("sequential",)]

runs = 0
switches = 0
with tempfile.TemporaryDirectory() as folder:
    trace = pathlib.Path(folder) / "recorded.htrace"
    for engine in ("fiber", "thread"):
        for seed, strategy in enumerate(STRATEGIES if engine == "fiber" else STRATEGIES[2:4], 1):
            words = ("run", "--engine", engine, "--seed", seed, "--strategy", *strategy)
            plain, plain_code = heddle(*words, "--", *args.program)
            recorded, code = heddle(*words, "--record", trace, "--", *args.program)
            different = [key for key in ("event_hash", "events", "switches", "preemptions")
                         if plain[key] != recorded[key]]
            if code != plain_code or different:
                fail(f"{heddle.command(*words, '--', *args.program)}\nrecorded: {recorded}\nnot recorded: {plain}")
            runs += 1
            switches += recorded["switches"]
if switches < runs:
    fail(f"{switches} switches in {runs} runs: nothing was tried")
print(f"{runs} runs alike, {switches} switches")
