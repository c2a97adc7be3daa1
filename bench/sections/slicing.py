"""Slicing a failing run of ten million events and more, beside recording it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from .measure import table
from .shrink import compile_kernel, failing_clip

EVENTS = 10_000_000
# Kernel, arguments, mean length of a turn: strings made under a lock and a history that everybody writes; rows read in long
# loops, with many small calls.
SLICED = [("BuggyPro", "33 6000 1600", 20_000), ("Derby-2861", "10 10 40000", 50_000)]


def cost_of(command):
    """What it printed, the bytes of memory and the seconds of processor time that it and what it started took."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"bench: {' '.join(map(str, command))} ended with {os.waitstatus_to_exitcode(status)}")
    return json.loads(output), usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime


def measure_clip(build, clip, trace, rounds):
    """One run of each command for each round, in turns: what slicing says, its memory, and the least seconds of each."""
    slicing, telling, recording = [], [], []
    for _ in range(rounds):
        recording.append(cost_of([build / "bin/heddle", "replay", "--json", "--quiet", "--record", trace, clip])[2])
        sliced, memory, processor = cost_of([build / "bin/heddle", "trace", "slice", "--json", "--quiet", clip])
        slicing.append(sliced["slicing_seconds"])
        telling.append(processor - sliced["slicing_seconds"])
    return sliced, memory, *map(min, (slicing, telling, recording))


def slicing(build, rounds):
    rows = []
    for kernel, arguments, quantum in SLICED:
        print(f"bench: slicing {kernel}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            scratch = pathlib.Path(folder)
            program = compile_kernel(build, kernel, "branches", scratch)
            clip = failing_clip(build, program, arguments, quantum, EVENTS, scratch)
            if clip is None:
                rows.append([f"{kernel} {arguments}", "no failing run", *[""] * 8])
                continue
            sliced, memory, seconds, telling, recording = measure_clip(build, clip, scratch / "run.htrace", rounds)
        rows.append([f"{kernel} {arguments}", f"{sliced['events']:,}", f"{sliced['records']:,}",
                     f"{100 * sliced['relevant'] / sliced['events']:.1f} %", f"{memory / 2**30:.2f} GB", f"{seconds:.2f} s",
                     f"{telling:.2f} s", f"{seconds / telling:.2f}", f"{recording:.2f} s", f"{seconds / recording:.2f}"])
    return ("## Slicing: ten million events\n\nLong failing runs, replayed and sliced from their failures. Records: events, and "
            "the blocks and private accesses that the slicer is told besides. Seconds are processor time, so that other load "
            f"matters less, and the least of {rounds} runs each: of the slicer's side alone; of all the rest of that run, that is "
            "of telling what is sliced, without keeping any of it, and of the program's waiting where the slicer falls behind; and, as "
            "a second measure, of a replay that records to a file what needs no slicing: the events without blocks and private "
            "accesses. Bars: 2 GB, and less than it takes to record what is sliced.\n\n"
            + table(["program", "events", "records", "in the slice", "memory", "slicing", "recording what is sliced", "ratio",
                     "recording events only", "ratio"], rows))


SECTIONS = {"slicing": slicing}
