#!/usr/bin/env python3
"""Law: a program that was not recompiled is controlled at its synchronisation, the report says that only this is
controlled, and a deadlock found in this way replays."""
import pathlib
import tempfile

from heddle_tool import Heddle, compile_program, fail, source_arguments

args = source_arguments()
heddle = Heddle(args.heddle)

with tempfile.TemporaryDirectory() as scratch:
    program = pathlib.Path(scratch) / "program"
    compile_program(args.compiler, args.source, program)
    report, code = heddle("run", "--", program)
    if code != 3:
        fail(f"without --preload it should be refused: exit {code}, {report}")
    clip = pathlib.Path(scratch) / "failure.clip"
    for seed in range(1, 301):
        report, code = heddle("run", "--preload", "--seed", seed, "--quantum", 4, "--clip", clip, "--", program)
        if not report["synchronisation_only"]:
            fail(f"the report does not say that only synchronisation is controlled: {report}")
        if code == 1:
            break
    else:
        fail("no deadlock within 300 schedules")
    if report["outcome"]["kind"] != "deadlock":
        fail(f"expected a deadlock: {report['outcome']}")
    replayed, code = heddle("replay", "--preload", "--times", 20, clip)
    if code != 0 or replayed["reproduced_runs"] != 20:
        fail(f"replay: {replayed}")
print(f"deadlock at schedule {seed}, replayed 20 of 20")
