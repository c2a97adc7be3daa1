#!/usr/bin/env python3
"""Law: the clip of a kernel's first failure shrinks to one with the same signature that replays every time, with as
few threads and preemptions as the bug needs. The result is minimal: a second shrink removes nothing, and if the
shrunk program has all its threads, no schedule with fewer preemptions fails with that signature."""
import argparse
import pathlib
import tempfile
import tomllib

from heddle_tool import Heddle, fail

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--expect", required=True)
parser.add_argument("--times", type=int, default=20)
parser.add_argument("kernel")
parser.add_argument("arguments", nargs="*")
args = parser.parse_args()

heddle = Heddle(args.heddle)
expected = tomllib.loads(pathlib.Path(args.expect).read_text())
program = (args.kernel, *args.arguments)


def shrink(clip, small):
    words = ("shrink", clip, "-o", small)
    report, code = heddle(*words)
    if code != 0 or report["result"] != "written":
        fail(f"{heddle.command(*words)}\nexit {code}: {report}")
    return report


with tempfile.TemporaryDirectory() as folder:
    found, code = heddle("explore", "--seed", 1, "--out", folder, "--", *program)
    if code != 1:
        fail(f"{' '.join(program)} did not fail: exit {code}, {found}")
    clip = found["failures"][0]["clip"]
    signature = found["failures"][0]["signature"]
    small = pathlib.Path(folder) / "small.clip"
    report = shrink(clip, small)
    after = report["after"]
    if report["outcome"]["signature"] != signature:
        fail(f"another bug: {report['outcome']}, not {signature}")
    for key in ("threads", "preemptions"):
        if after[key] > report["before"][key]:
            fail(f"more {key} than before: {report}")
    replayed, code = heddle("replay", "--times", args.times, small)
    if code != 0 or replayed["reproduced_runs"] != args.times or not replayed["exact"]:
        fail(f"the shrunk clip reproduced {replayed.get('reproduced_runs')} of {args.times} times: {replayed}")
    if after["threads"] > expected["threads_min"]:
        fail(f"{after['threads']} threads are left, the bug needs {expected['threads_min']}: {report}")
    # Where a thread has to be kept from going first, that is one more than the depth says.
    enough = expected.get("preemptions", expected["depth"] - 1)
    if after["preemptions"] > enough and after["threads"] >= expected["threads_min"]:
        fail(f"{after['preemptions']} preemptions are left, the bug needs {enough}: {report}")
    again = shrink(small, pathlib.Path(folder) / "smaller.clip")["after"]
    for key in ("threads", "preemptions"):
        if again[key] != after[key]:
            fail(f"not minimal: shrunk once more it has {again[key]} {key} instead of {after[key]}")
    if after["preemptions"] > 0 and not report["disabled_threads"]:
        words = ("explore", "--strategy", "preemptions", "--bound", after["preemptions"] - 1, "--keep-going", "--out",
                 folder, "--", *program)
        fewer, _ = heddle(*words)
        if any(failure["signature"] == signature and failure["preemptions"] < after["preemptions"]
               for failure in fewer["failures"]):
            fail(f"it also fails with fewer preemptions: {heddle.command(*words)}")
print(f"{signature}: {report['before']} to {after} in {report['rounds']} runs, {report['seconds']:.1f} s")
