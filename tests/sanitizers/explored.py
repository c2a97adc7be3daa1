#!/usr/bin/env python3
"""A kernel of the corpus in an AddressSanitizer build: exploring finds its use after free, with the sanitizer's
report, and its clip reproduces it; the repaired twin has no report."""
import argparse
import tempfile

from heddle_tool import Heddle, fail

NO_LEAKS = ("--env", "ASAN_OPTIONS=detect_leaks=0")

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--runs", type=int, default=1000)
parser.add_argument("--twin-runs", type=int, default=200)
parser.add_argument("kernel")
parser.add_argument("twin")
args = parser.parse_args()

heddle = Heddle(args.heddle)
with tempfile.TemporaryDirectory() as folder:
    words = ("explore", "--runs", args.runs, "--out", folder, *NO_LEAKS, "--", args.kernel)
    report, code = heddle(*words)
    if code != 1:
        fail(f"{heddle.command(*words)}\nfound nothing within {args.runs} schedules: {report}")
    failure = report["failures"][0]
    if failure["kind"] != "use_after_free" or "AddressSanitizer: heap-use-after-free" not in failure["message"]:
        fail(f"{heddle.command(*words)}\nfound {failure['signature']}: {failure['message']}")
    replayed, code = heddle("replay", "--times", 5, failure["clip"])
    if code != 0 or replayed["reproduced_runs"] != 5:
        fail(f"its clip replayed {replayed.get('reproduced_runs')} of 5 times: {replayed}")
    words = ("explore", "--runs", args.twin_runs, "--out", folder, *NO_LEAKS, "--", args.twin)
    report, code = heddle(*words)
    if code != 0:
        fail(f"{heddle.command(*words)}\nthe repaired twin failed: {report}")
print(f"schedule {failure['schedule_index'] + 1}: {failure['message']}; the twin passed {report['schedules']}")
