#!/usr/bin/env python3
"""Law: shrinking a run of hundreds of thousands of events and hundreds of threads takes a few times the steps of the
original, leaves as many threads and preemptions as the bug needs, and removes at least the share that LEAN's authors
report."""
import pathlib
import tempfile
import tomllib

from heddle_tool import Heddle, compile_program, fail, source_arguments

SEEDS = 60
REMOVED_MIN, STEPS_MAX = 0.97, 8
ARGUMENTS = ("450", "10", "10")
# Mean length of a turn, and how long the failing run is to be. With the second, the thread that fails is stopped
# several times between the two accesses that are split.
RUNS = ((20_000, 100_000), (400_000, 300_000))

args = source_arguments()
heddle = Heddle(args.heddle)
expected = tomllib.loads((pathlib.Path(args.source).parent / "expect.toml").read_text())


def long_failing_clip(program, clip, quantum, events_min):
    for seed in range(1, SEEDS + 1):
        report, code = heddle("run", "--strategy", "random", "--quantum", quantum, "--seed", seed, "--clip", clip, "--",
                              program,
                              *ARGUMENTS)
        if code == 1 and report["events"] >= events_min:
            return
    fail(f"none of {SEEDS} random schedules fails with {events_min} events and more")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    program, clip, small = folder / "program", folder / "failure.clip", folder / "small.clip"
    compile_program(args.compiler, args.source, program, hooks="iterations,calls,branches")
    for quantum, events_min in RUNS:
        long_failing_clip(program, clip, quantum, events_min)
        report, code = heddle("shrink", clip, "-o", small)
        if code != 0 or report["result"] != "written":
            fail(f"{heddle.command('shrink', clip)}: exit {code}, {report}")
        before, after = report["before"], report["after"]
        if after["threads"] > expected["threads_min"] or after["preemptions"] > expected["depth"] - 1:
            fail(f"more threads or preemptions than the bug needs: {report}")
        if after["events"] > (1 - REMOVED_MIN) * before["events"]:
            fail(f"{after['events']} of {before['events']} events are left: {report}")
        steps = report["steps"] - report["steps_in_sequence"]
        if steps > STEPS_MAX * before["events"]:
            fail(f"all runs together took {steps / before['events']:.1f} times the original's steps: {report}")
        replayed, code = heddle("replay", "--times", 3, small)
        if code != 0 or replayed["reproduced_runs"] != 3:
            fail(f"what is left does not replay: {replayed}")
        print(f"{before['events']} to {after['events']} events in {report['rounds']} runs, "
              f"{steps / before['events']:.1f} times the steps")
