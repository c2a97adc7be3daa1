#!/usr/bin/env python3
"""Law: all verbs that run a clip report the same outcome: a signal, an exit code, an assertion, a deadlock, a
livelock, --fails-if, or the judgement of a --driver."""
import pathlib
import tempfile

from heddle_tool import Heddle, compile_program, fail, source_arguments

SEEDS = 200
FAILS_IF = ("--fails-if", "grep -q lost")
ENDINGS = {"signal": "signal", "exit": "exit", "assert": "assert", "deadlock": "deadlock", "spin": "livelock",
           "print": "predicate", "serve": "predicate"}
CLIENT = """import os, socket, sys
with socket.create_connection(("127.0.0.1", int(os.environ["HEDDLE_PORT"]))) as server:
    sys.exit(server.makefile().readline() != "kept\\n")
"""


def failing_clip(heddle, program, way, clip, options):
    for seed in range(1, SEEDS):
        report, code = heddle("run", "--seed", seed, "--quantum", 3, "--steps-max", 20000, "--clip", clip, *options,
                              "--", program, way)
        if code == 1:
            return report["outcome"]["kind"]
    fail(f"{way}: none of {SEEDS} seeds fails")


def outcome_of(document):
    """The kind of outcome that a verb's document names; the whole document where it names none."""
    outcome = document.get("outcome", document)
    return outcome.get("kind", outcome) if isinstance(outcome, dict) else outcome


def check(heddle, program, way, kind, folder):
    clip = folder / f"{way}.clip"
    judge = FAILS_IF if way == "print" else ()
    options = ("--driver", f"python3 {folder / 'client.py'}") if way == "serve" else judge
    found = failing_clip(heddle, program, way, clip, options)
    if found != kind:
        fail(f"{way}: heddle run says {found}, not {kind}")
    replayed, _ = heddle("replay", *judge, clip)
    if replayed["verdict"] != "reproduced":
        fail(f"{way}: heddle replay says {replayed}")
    for verb in ("trace slice", "shrink", "explain", "breakpoints"):
        extra = {"shrink": ("--out", folder / f"{way}-small.clip"), "breakpoints": ("--time", "5s")}.get(verb, ())
        document, _ = heddle(verb, *judge, *extra, clip)
        if outcome_of(document) != kind:
            fail(f"{way}: heddle {verb} says {outcome_of(document)}, not {kind}")
    small, _ = heddle("replay", *judge, folder / f"{way}-small.clip")
    if small["verdict"] != "reproduced":
        fail(f"{way}: the clip of heddle shrink does not fail: {small}")


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
