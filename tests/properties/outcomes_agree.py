#!/usr/bin/env python3
"""Every verb that runs a clip, or the program that it was made with, agrees on how the run ends: by a signal, an exit code, an
assertion, a deadlock, a livelock, --fails-if, or the judgement of a --driver. Shrinking leaves a thread out, and the verbs agree
on that clip as well."""
import pathlib
import tempfile

from heddle_tool import Heddle, compile_program, fail, source_arguments

SEEDS = 200
RUNS = 20  # of a search; about a third of them fail
STEPS_MAX = 20000
FAILS_IF = ("--fails-if", "grep -q lost")
ENDINGS = {"signal": "signal", "exit": "exit", "assert": "assert", "deadlock": "deadlock", "spin": "livelock",
           "print": "predicate", "serve": "predicate"}
CLIENT = """import os, socket, sys
with socket.create_connection(("127.0.0.1", int(os.environ["HEDDLE_PORT"]))) as server:
    sys.exit(server.makefile().readline() != "kept\\n")
"""


def failing_clip(heddle, program, way, clip, options):
    for seed in range(1, SEEDS):
        report, code = heddle("run", "--seed", seed, "--quantum", 3, "--steps-max", STEPS_MAX, "--clip", clip, *options, "--",
                              program, way)
        if code == 1:
            return report["outcome"]["kind"]
    fail(f"{way}: none of {SEEDS} seeds fails")


def outcome_of(document):
    """The kind of outcome that a verb's document names; the whole document where it names none."""
    outcome = document.get("outcome", document)
    return outcome.get("kind", outcome) if isinstance(outcome, dict) else outcome


def check_clip(heddle, verbs, clip, judge, kind):
    replayed, _ = heddle("replay", *judge, clip)
    if replayed["verdict"] != "reproduced":
        fail(f"{clip}: heddle replay says {replayed}")
    for verb, extra in verbs.items():
        document, _ = heddle(verb, *judge, *extra, clip)
        if outcome_of(document) != kind:
            fail(f"{clip}: heddle {verb} says {outcome_of(document)}, not {kind}")


def check_searches(heddle, program, way, kind, options, folder):
    """The verbs that run the program in many schedules: what fails there fails in the same way."""
    bounds = ("--runs", RUNS, "--steps-max", STEPS_MAX)
    explored, _ = heddle("explore", *bounds, "--keep-going", "--out", folder / f"{way}-clips", *options, "--", program, way)
    kinds = {failure["kind"] for failure in explored["failures"]}
    if kinds != {kind}:
        fail(f"{way}: heddle explore finds {kinds}, not {kind}")
    collected, _ = heddle("graph collect", *bounds, "--out", folder / f"{way}-graphs", *options, "--", program, way)
    if not 0 < collected["failing_runs"] < RUNS:
        fail(f"{way}: heddle graph collect says that {collected['failing_runs']} of {RUNS} runs fail")


def check(heddle, program, way, kind, folder):
    clip = folder / f"{way}.clip"
    judge = FAILS_IF if way == "print" else ()
    options = ("--driver", f"python3 {folder / 'client.py'}") if way == "serve" else judge
    found = failing_clip(heddle, program, way, clip, options)
    if found != kind:
        fail(f"{way}: heddle run says {found}, not {kind}")
    small = folder / f"{way}-small.clip"
    check_clip(heddle, {"trace slice": (), "shrink": ("--out", small), "explain": (), "breakpoints": ("--time", "5s")}, clip,
               judge, kind)
    check_clip(heddle, {"trace slice": (), "explain": ()}, small, judge, kind)
    if way != "spin":  # the watchdog lets each of those runs spin for seconds
        check_searches(heddle, program, way, kind, options, folder)


def main():
    arguments = source_arguments()
    heddle = Heddle(arguments.heddle)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program = folder / "every_ending"
        compile_program(arguments.compiler, arguments.source, program, hooks="branches")
        (folder / "client.py").write_text(CLIENT)
        for way, kind in ENDINGS.items():
            check(heddle, program, way, kind, folder)


main()
