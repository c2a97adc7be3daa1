#!/usr/bin/env python3
"""Law: shrink removes nothing whose absence would fake the bug, and writes nothing for a clip that does not
reproduce or whose failure no schedule causes."""
import argparse
import pathlib
import signal
import subprocess
import tempfile
import time

from heddle_tool import Heddle, fail, find_failing_clip

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--compiler", required=True)
parser.add_argument("programs", help="folder")
args = parser.parse_args()

heddle = Heddle(args.heddle)


def build(name, folder):
    program = folder / name
    source = pathlib.Path(args.programs) / f"{name}.cpp"
    subprocess.run([args.compiler, "-std=c++20", "-O1", "-g", "-UNDEBUG", source, "-o", program, "-pthread"],
                   check=True)
    return program


def expect_nothing_written(clip, small, result):
    report, code = heddle("shrink", clip, "-o", small)
    if code != 1 or report["result"] != result or report["clip"] is not None or small.exists():
        fail(f"expected {result} and no file: exit {code}, {report}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    clip, small = folder / "failure.clip", folder / "small.clip"

    # Every worker that is missing makes the assertion fail; no thread depends on the bystanders.
    workers, bystanders = 4, 5
    program = build("all_must_come", folder)
    find_failing_clip(heddle, program, clip, 200, (workers, bystanders))
    report, code = heddle("shrink", clip, "-o", small)
    if code != 0 or report["after"]["threads"] != 1 + workers:
        fail(f"all {workers} workers and no bystander should be left: exit {code}, {report}")
    kept = {f"0.{i}" for i in range(1, workers + 1)}
    if kept & set(report["disabled_threads"]):
        fail(f"a worker was left out: {report['disabled_threads']}")
    replayed, code = heddle("replay", "--times", 5, small)
    if code != 0 or replayed["reproduced_runs"] != 5:
        fail(f"the clip with disabled threads does not replay: {replayed}")
    replayed, code = heddle("replay", "--engine", "thread", small)
    if code != 0:
        fail(f"nor on the other engine: {replayed}")

    # Ten programs, each with another kind of check.
    program = build("none_may_miss", folder)
    for which in range(10):
        find_failing_clip(heddle, program, clip, 400, (which, 2, 2))
        report, code = heddle("shrink", clip, "-o", small)
        if code != 0 or report["after"]["threads"] != 3 or {"0.1", "0.2"} & set(report["disabled_threads"]):
            fail(f"program {which}: both workers and no bystander should be left: exit {code}, {report}")
    program = folder / "all_must_come"
    find_failing_clip(heddle, program, clip, 200, (workers, bystanders))

    # Ctrl-C keeps the best result so far. It may also have finished before.
    small.unlink()
    shrinking = subprocess.Popen([args.heddle, "shrink", "--quiet", clip, "-o", small], stdin=subprocess.DEVNULL)
    while not small.exists() and shrinking.poll() is None:
        time.sleep(0.001)
    shrinking.send_signal(signal.SIGINT)
    code = shrinking.wait()
    if code not in (0, -signal.SIGINT):
        fail(f"Ctrl-C: exit {code}")
    replayed, code = heddle("replay", small)
    if code != 0:
        fail(f"what Ctrl-C left does not replay: {replayed}")

    # With no time at all there is still a clip, and it is a true one.
    small.unlink()
    report, code = heddle("shrink", "--time", "1ms", clip, "-o", small)
    replayed, replay_code = heddle("replay", small)
    if code != 0 or not report["out_of_time"] or replay_code != 0:
        fail(f"out of time: exit {code}, {report}; its clip: {replayed}")

    # Says that it ended otherwise than it does.
    small.unlink()
    lines = clip.read_text().splitlines()
    false_clip = folder / "false.clip"
    false_clip.write_text("\n".join([*lines[:-1], lines[-1].replace('"signature":"assert', '"signature":"abort')]) +
                          "\n")
    expect_nothing_written(false_clip, small, "not_reproduced")

    sequential = folder / "sequential.clip"
    program = build("always_fails", folder)
    find_failing_clip(heddle, program, sequential, 1)
    expect_nothing_written(sequential, small, "not_a_concurrency_bug")
