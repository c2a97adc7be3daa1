#!/usr/bin/env python3
"""Law: shrinking removes calls on which nothing depends, and keeps those on which the assertion depends; the clip
replays without them on both engines, and its trace can be read."""
import pathlib
import tempfile

from heddle_tool import Heddle, compile_program, fail, find_failing_clip, source_arguments

args = source_arguments()
heddle = Heddle(args.heddle)

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    program, trace = folder / "program", folder / "small.htrace"
    clip, small = folder / "failure.clip", folder / "small.clip"
    compile_program(args.compiler, args.source, program, hooks="branches,calls")
    find_failing_clip(heddle, program, clip, 400)
    report, code = heddle("shrink", clip, "-o", small)
    if code != 0:
        fail(f"exit {code}, {report}")
    left_out = {entry["loop"].split(" -> ")[1] for entry in report["disabled_iterations"]}
    if left_out != {"write_journal"} or report["slice"]["skipped"] == 0:
        fail(f"the journals and nothing else should be left out: {report}")
    if report["loops"] != 0 or report["after"]["threads"] != 3:
        fail(f"a call is not a loop, and both threads are needed: {report}")
    for engine in ("fiber", "thread"):
        replayed, code = heddle("replay", "--times", 3, "--engine", engine, small)
        if code != 0 or replayed["reproduced_runs"] != 3:
            fail(f"the clip without calls does not replay on the {engine} engine: {replayed}")
    heddle("replay", "--record", trace, small)
    info, code = heddle("trace", "info", trace)
    if code != 0 or info["events"] < report["after"]["events"]:
        fail(f"its trace cannot be read: exit {code}, {info}")
