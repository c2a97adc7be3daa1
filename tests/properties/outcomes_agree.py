#!/usr/bin/env python3
"""Every verb that runs a clip, or the program of the clip, agrees on the outcome: a signal, an exit code, an assertion,
a deadlock, a livelock, --fails-if, or the verdict of a --driver. The verbs also agree on the shrunk clip, which skips a
thread, and on the core of a crash."""
import os
import pathlib
import subprocess
import tempfile

from heddle_tool import Heddle, compile_program, fail, source_arguments

SEEDS = 200
RUNS = 20  # of a search; about a third of them fail
STEPS_MAX = 20000
CORES = {"signal", "assert"}  # endings that leave a core
FAILS_IF = ("--fails-if", "grep -q lost")
ENDINGS = {"signal": "signal", "exit": "exit", "assert": "assert", "deadlock": "deadlock", "spin": "livelock",
           "print": "predicate", "serve": "predicate"}
CLIENT = """import os, socket, sys
with socket.create_connection(("127.0.0.1", int(os.environ["HEDDLE_PORT"]))) as server:
    sys.exit(server.makefile().readline() != "kept\\n")
"""


def failing_clip(heddle, program, way, clip, options):
    for seed in range(1, SEEDS):
        report, code = heddle("run", "--seed", seed, "--quantum", 3, "--steps-max", STEPS_MAX, "--clip", clip, *options,
                              "--", program, way)
        if code == 1:
            return report["outcome"]["kind"], seed
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


def check_repeated(heddle, program, way, kind, seed, options):
    """`heddle check` runs the failing schedule twice."""
    document, _ = heddle("check", "--seed", seed, "--quantum", 3, "--steps-max", STEPS_MAX, *options, "--", program,
                         way)
    kinds = {outcome["kind"] for outcome in document["outcomes"]}
    if kinds != {kind} or not document["deterministic"]:
        fail(f"{way}: heddle check says {document}, not twice {kind}")


def check_searches(heddle, program, way, kind, options, folder):
    """The verbs that run the program under many schedules find failures of this kind only."""
    bounds = ("--runs", RUNS, "--steps-max", STEPS_MAX)
    explored, _ = heddle("explore", *bounds, "--keep-going", "--out", folder / f"{way}-clips", *options, "--", program,
                         way)
    kinds = {failure["kind"] for failure in explored["failures"]}
    if kinds != {kind}:
        fail(f"{way}: heddle explore finds {kinds}, not {kind}")
    collected, _ = heddle("graph collect", *bounds, "--out", folder / f"{way}-graphs", *options, "--", program, way)
    if not 0 < collected["failing_runs"] < RUNS:
        fail(f"{way}: heddle graph collect says that {collected['failing_runs']} of {RUNS} runs fail")
    tested, _ = heddle("test", *bounds, "--out", folder / f"{way}-tests", *options, "--", program, way)
    if tested["tests"][0]["kind"] != kind:
        fail(f"{way}: heddle test says {tested['tests'][0]}, not {kind}")
    hunted, code = heddle("hunt", "--first", "--time", "10s", "--steps-max", STEPS_MAX, "--out", folder / f"{way}-hunt",
                          *options, "--", program, way)
    kinds = {bug["kind"] for bug in hunted["bugs"]}
    if code != 1 or kinds != {kind}:
        fail(f"{way}: heddle hunt finds {kinds}, not {kind}: {hunted['problems']}")


def check_prediction(heddle, program, way, kind, options, folder):
    """The recorded run passes, so the failures are those of executed predictions."""
    predicted, code = heddle("predict", "--steps-max", STEPS_MAX, "--out", folder / f"{way}-predicted", *options, "--",
                             program, way)
    failures = [predicted["recorded_run"]] + [anomaly["failure"] for anomaly in predicted["anomalies"]]
    kinds = {failure["kind"] for failure in failures if failure}
    if code != 1 or kinds != {kind}:
        fail(f"{way}: heddle predict finds {kinds}, not {kind}: {predicted['problems']}")


def check_core(heddle, compiler, source, program, way, kind, folder):
    """The search from the core of a native crash ends with a clip that fails in the same way."""
    production = folder / "production"
    compile_program(compiler, source, production, build="production")
    core = folder / f"{way}.core"
    subprocess.run([production, way], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=60,
                   env={**os.environ, "LD_PRELOAD": os.environ["CRASH_LIBRARY"], "HEDDLE_CRASH_CORE": str(core),
                        "GATE": "on"})
    if not core.exists():
        fail(f"{way}: the production build leaves no core")
    document, _ = heddle("core", core, "--program", production, "--steps-max", STEPS_MAX, "--out", folder / "cores",
                         "--", program, way)
    if document["outcome"]["kind"] != kind or not document["found"] or document["found"]["kind"] != kind:
        fail(f"{way}: heddle core says {document['outcome']} and {document['found']}, not {kind}")
    check_clip(heddle, {"explain": ()}, document["clip"], (), kind)


def check(heddle, arguments, program, way, kind, folder):
    clip = folder / f"{way}.clip"
    judge = FAILS_IF if way == "print" else ()
    options = ("--driver", f"python3 {folder / 'client.py'}") if way == "serve" else judge
    found, seed = failing_clip(heddle, program, way, clip, options)
    if found != kind:
        fail(f"{way}: heddle run says {found}, not {kind}")
    small = folder / f"{way}-small.clip"
    check_clip(heddle,
               {"trace slice": (), "shrink": ("--out", small), "explain": (), "breakpoints": ("--time", "5s")},
               clip, judge, kind)
    check_clip(heddle, {"trace slice": (), "explain": ()}, small, judge, kind)
    check_repeated(heddle, program, way, kind, seed, options)
    if way != "spin":  # the watchdog lets each of those runs spin for seconds
        check_searches(heddle, program, way, kind, options, folder)
        check_prediction(heddle, program, way, kind, options, folder)
    if way in CORES:
        check_core(heddle, arguments.compiler, arguments.source, program, way, kind, folder)


def main():
    arguments = source_arguments()
    heddle = Heddle(arguments.heddle)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program = folder / "every_ending"
        compile_program(arguments.compiler, arguments.source, program, hooks="branches")
        (folder / "client.py").write_text(CLIENT)
        for way, kind in ENDINGS.items():
            check(heddle, arguments, program, way, kind, folder)


main()
