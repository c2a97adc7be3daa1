#!/usr/bin/env python3
"""Law: a recorded event of a primitive says at which line of the program's own code it was called, with and without
optimisation, on both engines; and recording it does not change the run."""
import argparse
import pathlib
import re
import subprocess
import tempfile

from heddle_tool import Heddle, fail

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--compiler", required=True)
parser.add_argument("source", type=pathlib.Path)
args = parser.parse_args()
heddle = Heddle(args.heddle)

KINDS = {"lock", "unlock", "wait", "woken", "signal", "broadcast", "fork", "join"}
expected = {(kind, number) for number, line in enumerate(args.source.read_text().splitlines(), 1)
            for kind in line.rpartition("  // ")[2].split() if set(line.rpartition("  // ")[2].split()) <= KINDS}
EVENT = re.compile(rf"\d+ t\d+ (\w+) .*# .*{re.escape(args.source.name)}:(\d+):")

with tempfile.TemporaryDirectory() as folder:
    seen = set()
    for level in ("-O0", "-O2"):
        program = pathlib.Path(folder) / f"places{level}"
        subprocess.run([args.compiler, "-std=c++20", level, "-g", str(args.source), "-o", str(program), "-pthread"],
                       check=True)
        for engine in ("fiber", "thread"):
            for seed in range(1, 4):
                trace = pathlib.Path(folder) / "places.htrace"
                words = ("run", "--engine", engine, "--seed", seed, "--quantum", 5)
                plain, _ = heddle(*words, "--", program)
                recorded, code = heddle(*words, "--record", trace, "--", program)
                if code != 0 or recorded["event_hash"] != plain["event_hash"]:
                    fail(f"{heddle.command(*words)} recorded: {recorded}, not recorded: {plain['event_hash']}")
                text = subprocess.run([args.heddle, "trace", "dump", str(trace)], stdout=subprocess.PIPE, text=True,
                                      check=True).stdout
                for line in text.splitlines():
                    words_of_line = line.split()
                    if len(words_of_line) < 3 or words_of_line[2] not in KINDS:
                        continue
                    event = EVENT.match(line)
                    if event is None or (event[1], int(event[2])) not in expected:
                        fail(f"{level}, {heddle.command(*words)}: no such place: {line}")
                    seen.add((event[1], int(event[2])))
    if seen != expected:
        fail(f"never seen: {sorted(expected - seen)}")
print(f"{len(seen)} places")
