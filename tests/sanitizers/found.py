#!/usr/bin/env python3
"""A report of a sanitizer is the outcome of the run: exploring finds it within a budget of schedules, with the
sanitizer's report and the program's own line, and its clip reproduces it every time, on both engines."""
import argparse
import pathlib
import tempfile

from heddle_tool import Heddle, fail, find_failing_clip

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--kind", required=True, help="of the outcome")
parser.add_argument("--message", required=True, help="words that its message has")
parser.add_argument("--place", required=True, help="FILE:LINE in its signature")
parser.add_argument("--budget", type=int, default=200)
parser.add_argument("--times", type=int, default=20)
parser.add_argument("program")
args = parser.parse_args()

heddle = Heddle(args.heddle)
with tempfile.TemporaryDirectory() as folder:
    clip = pathlib.Path(folder) / "failure.clip"
    found = find_failing_clip(heddle, args.program, clip, args.budget)
    outcome = found["outcome"]
    expected = f"{args.kind} {args.place}"
    if outcome["kind"] != args.kind or args.message not in outcome["message"] or outcome["signature"] != expected:
        fail(f"{args.program} ended with {outcome}, expected {expected!r} and {args.message!r}")
    for engine in ("fiber", "thread"):
        words = ("replay", "--engine", engine, "--times", args.times, clip)
        report, code = heddle(*words)
        if code != 0 or report["reproduced_runs"] != args.times or report["event_hash"] != found["event_hash"]:
            fail(f"{heddle.command(*words)}\ndid not reproduce it each time: {report}")
print(f"seed {found['seed']}: {outcome['signature']}: {outcome['message']}; 2 x {args.times} replays")
