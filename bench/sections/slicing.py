"""Slicing a failing run of ten million events and more, beside recording it."""
import pathlib
import statistics
import sys
import tempfile

from .bars import Bar, largest
from .measure import Cost, table
from .shrink import compile_kernel, failing_clip

EVENTS = 10_000_000
# Kernel, arguments, mean length of a turn: strings made under a lock and a history that all threads write; rows read in
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


def cells(recorded, sliced, live):
    said = sliced[0].said
    logging = statistics.median(cost.said["run_seconds"] for cost in live)
    back = statistics.median(cost.said["backward_seconds"] for cost in live)
    slicing = min(cost.said["slicing_seconds"] for cost in live)
    running = min(cost.processor - cost.said["slicing_seconds"] for cost in live)

    def median(costs):
        return f"{statistics.median(cost.seconds for cost in costs):.2f} s"

    return [f"{said['events']:,}", f"{said['records']:,}", f"{100 * said['relevant'] / said['events']:.1f} %",
            f"{max(cost.bytes for cost in [*sliced, *live]) / 2**30:.2f} GB",
            f"{logging:.2f} s", f"{back:.2f} s", f"{back / logging:.2f}",
            median(recorded), median(sliced), ratio(sliced, recorded, "seconds"), ratio(sliced, recorded, "processor"),
            f"{running:.2f} s", f"{slicing:.2f} s", f"{slicing / running:.2f}", ratio(live, recorded, "seconds")]



def intro(rounds):
    return f"""Long failing runs, sliced from their failures. Records: events, and the blocks and private accesses that
a slice needs in addition. The bars: slicing takes less time than recording, measured in three ways, and at most 2 GB.

*In memory*: `heddle trace slice CLIP` runs the program and logs the run; elapsed time of that run, and of the backward
pass. *To a file*: `heddle replay --record T.htrace --flow`, then `heddle trace slice T.htrace`, which first decodes and
logs the trace; elapsed time of the whole commands, then the ratio of their processor times. *Not stored*: processor
time of `heddle trace slice CLIP` without the slicer, that is a run that emits everything and stores nothing, and of the
whole slicer, logging and backward pass. The last column compares that whole command, which produces a slice and no
trace, with recording to a file, in elapsed time.

Medians of {rounds} rounds of all commands in turns; ratios to a file are per round; *not stored* is the least of all
rounds."""


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
    return "\n\n".join([
        "## Slicing: ten million events", intro(rounds),
        table(["program", "events", "records", "in the slice", "memory", "in memory: recording", "slicing", "ratio",
               "to a file: bytes", "recording", "slicing", "ratio", "of processor time", "not stored: running",
               "slicing", "ratio", "run and slice over recording"], rows)])


SECTIONS = {"slicing": slicing}
BARS = {"slicing": [
    Bar("slicing over recording in memory, at most", "<= 1", largest("ratio")),
    Bar("slicing over recording to a file, at most", "<= 1", largest("ratio 2")),
    Bar("slicing over a run that stores nothing, processor time, at most", "<= 1", largest("ratio 3")),
    Bar("memory, at most", "<= 2 GB", largest("memory"))]}
