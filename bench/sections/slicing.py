"""Slicing a failing run of ten million events and more, beside recording it."""
import pathlib
import statistics
import sys
import tempfile

from .measure import Cost, table
from .shrink import compile_kernel, failing_clip

EVENTS = 10_000_000
# Kernel, arguments, mean length of a turn: strings made under a lock and a history that everybody writes; rows read in
# long loops, with many small calls.
SLICED = [("BuggyPro", "33 6000 1600", 20_000), ("Derby-2861", "10 10 40000", 50_000)]


def ratio(costs, others, key):
    """The median of what rounds say."""
    return f"{statistics.median(getattr(one, key) / getattr(other, key) for one, other in zip(costs, others)):.2f}"


def measure_clip(build, clip, trace, rounds):
    """One run of each command for each round, in turns: recording, slicing what was recorded, slicing a run as it
    goes."""
    commands = [["replay", "--record", trace, "--flow", clip], ["trace", "slice", trace], ["trace", "slice", clip]]
    costs = [[], [], []]
    for _ in range(rounds):
        for of_command, (verb, *words) in zip(costs, commands):
            of_command.append(Cost([build / "bin/heddle", verb, *words, "--json", "--quiet"]))
    return costs


def cells(recorded, sliced, heard):
    said = sliced[0].said
    logging = statistics.median(cost.said["run_seconds"] for cost in heard)
    back = statistics.median(cost.said["backward_seconds"] for cost in heard)
    slicing = min(cost.said["slicing_seconds"] for cost in heard)
    telling = min(cost.processor - cost.said["slicing_seconds"] for cost in heard)

    def median(costs):
        return f"{statistics.median(cost.seconds for cost in costs):.2f} s"

    return [f"{said['events']:,}", f"{said['records']:,}", f"{100 * said['relevant'] / said['events']:.1f} %",
            f"{max(cost.bytes for cost in [*sliced, *heard]) / 2**30:.2f} GB",
            f"{logging:.2f} s", f"{back:.2f} s", f"{back / logging:.2f}",
            median(recorded), median(sliced), ratio(sliced, recorded, "seconds"), ratio(sliced, recorded, "processor"),
            f"{telling:.2f} s", f"{slicing:.2f} s", f"{slicing / telling:.2f}", ratio(heard, recorded, "seconds")]


def slicing(build, rounds):
    rows = []
    for kernel, arguments, quantum in SLICED:
        print(f"bench: slicing {kernel}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            scratch = pathlib.Path(folder)
            program = compile_kernel(build, kernel, "branches", scratch)
            clip = failing_clip(build, program, arguments, quantum, EVENTS, scratch)
            if clip is None:
                rows.append([f"{kernel} {arguments}", "no failing run", *[""] * 16])
                continue
            trace = scratch / "run.htrace"
            measured = cells(*measure_clip(build, clip, trace, rounds))
            size = f"{trace.stat().st_size / 2**20:.1f} MB"
        rows.append([f"{kernel} {arguments}", *measured[:7], size, *measured[7:]])
    return ("## Slicing: ten million events\n\nLong failing runs, sliced from their failures. Records: events, and the blocks and private "
            "accesses that a slice needs besides. Recording is told in three ways, the bar is that slicing takes less, and within 2 GB. "
            "*In memory*: `heddle trace slice CLIP` runs the program and logs it as it goes; that run by the clock, and going back through "
            "the log. *To a file*: `heddle replay --record T.htrace --flow`, and `heddle trace slice T.htrace`, which has to decode it and "
            "to log it first; whole commands by the clock, then the ratio of their processor time. *Not at all*: of `heddle trace slice "
            "CLIP`, by processor time, all but the slicer, that is a run that tells everything and of which nothing is kept; and all of "
            "the slicer, logging and going back. Last, that whole command, which leaves a slice and no trace, over recording to a file, by the "
            f"clock. Medians of {rounds} rounds of all commands in turns, ratios to a file in each round; not at all: least ones.\n\n"
            + table(["program", "events", "records", "in the slice", "memory", "in memory: recording", "slicing",
                     "ratio", "to a file: bytes",
                     "recording", "slicing", "ratio", "of processor time", "not at all: telling", "slicing", "ratio",
                     "run and slice over recording"], rows))


SECTIONS = {"slicing": slicing}
