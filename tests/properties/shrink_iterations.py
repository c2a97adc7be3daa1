#!/usr/bin/env python3
"""Law: shrinking removes iterations of marked loops until none can be removed; the clip replays without them on both
engines; for a build that marks none, shrink says how to build one that does."""
import pathlib
import subprocess
import tempfile

from heddle_tool import Heddle, compile_program, fail, find_failing_clip, source_arguments

args = source_arguments()
heddle = Heddle(args.heddle)


def build(folder, name, level, hooks):
    program = folder / name
    compile_program(args.compiler, args.source, program, level, hooks)
    return program


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    clip, small = folder / "failure.clip", folder / "small.clip"
    for level in ("-O0", "-O2"):
        program = build(folder, f"marked{level}", level, "iterations")
        find_failing_clip(heddle, program, clip, 400)
        report, code = heddle("shrink", clip, "-o", small)
        if code != 0:
            fail(f"{level}: exit {code}, {report}")
        after = report["after"]
        # One iteration of each thread, and one preemption.
        if after["iterations"] != 2 or after["preemptions"] != 1 or after["threads"] != 3:
            fail(f"{level}: not minimal: {report}")
        for engine in ("fiber", "thread"):
            replayed, code = heddle("replay", "--times", 3, "--engine", engine, small)
            if code != 0 or replayed["reproduced_runs"] != 3:
                fail(f"{level}: the clip without iterations does not replay on the {engine} engine: {replayed}")
        again, code = heddle("shrink", small, "-o", folder / "smaller.clip")
        if code != 0 or again["after"]["iterations"] != 2:
            fail(f"{level}: shrunk once more: {again}")

    # Neither the pass nor a person marks anything; and what the hint says to build with marks all loops.
    unmarked = folder / "unmarked.cpp"
    unmarked.write_text("#include <heddle/annotate.h>\n#undef HEDDLE_REPEAT\n#define HEDDLE_REPEAT(name)\n"
                        f'#include "{pathlib.Path(args.source).resolve()}"\n')
    for source, hooks, marked in ((args.source, "iterations", True), (args.source, "", True), (unmarked, "", False),
                                  (unmarked, "iterations", True)):
        what = f"{pathlib.Path(source).name} with hooks '{hooks}'"
        program = folder / "program"
        compile_program(args.compiler, source, program, "-O2", hooks)
        find_failing_clip(heddle, program, clip, 400)
        report, code = heddle("shrink", clip, "-o", small)
        if code != 0 or bool(report["before"]["iterations"]) != marked:
            fail(f"{what}: exit {code}, iterations {'marked' if marked else 'not marked'} expected: {report}")
        done = subprocess.run([args.heddle, "shrink", clip, "-o", small], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        if ("build with HEDDLE_HOOKS=iterations" in done.stdout + done.stderr) == marked:
            fail(f"{what}: exit {done.returncode}, {'no ' if marked else 'a '}hint expected: "
                 f"{done.stdout}{done.stderr}")
