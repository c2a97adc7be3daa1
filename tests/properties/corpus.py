#!/usr/bin/env python3
"""Law: with default settings a kernel of the corpus fails within its budget of schedules, in the way that its
expect.toml says, for every seed; its clip replays; and its repaired twin never fails."""
import argparse
import pathlib
import tempfile
import tomllib

from heddle_tool import Heddle, fail

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--seeds", type=int, default=1)
parser.add_argument("--twin-schedules", type=int, default=300)
parser.add_argument("--expect", required=True)
parser.add_argument("kernel")
parser.add_argument("twin")
args = parser.parse_args()

heddle = Heddle(args.heddle)
expected = tomllib.loads(pathlib.Path(args.expect).read_text())
kinds = {expected["kind"], *expected.get("also", [])}
client = pathlib.Path(args.kernel).parent / "client"
served = ("--driver", f"{client} $HEDDLE_PORT") if client.exists() else ()
arguments = ("0",) if served else ()
needed = []
with tempfile.TemporaryDirectory() as folder:
    for seed in range(1, args.seeds + 1):
        words = ("explore", "--seed", seed, "--runs", expected["budget"], "--out", folder, *served, "--", args.kernel,
                 *arguments)
        report, code = heddle(*words, timeout=600)
        if code != 1:
            fail(f"{heddle.command(*words)}\ndid not fail within {expected['budget']} schedules: exit {code}, {report}")
        failure = report["failures"][0]
        if failure["kind"] not in kinds:
            fail(f"{heddle.command(*words)}\nfailed with {failure['kind']} ({failure['signature']}), "
                 f"not {sorted(kinds)}")
        if failure["clip"] is None:
            fail(f"{heddle.command(*words)}\nleft no clip: {report['problems']}")
        needed.append(failure["schedule_index"] + 1)
        replayed, code = heddle("replay", "--times", 5, failure["clip"])
        if code != 0 or replayed["reproduced_runs"] != 5:
            fail(f"seed {seed}: its clip replayed {replayed.get('reproduced_runs')} of 5 times: {replayed}")
    runs = args.twin_schedules if not served else min(args.twin_schedules, 60)
    words = ("explore", "--runs", runs, "--out", folder, *served, "--", args.twin, *arguments)
    report, code = heddle(*words, timeout=600)
    if code != 0:
        fail(f"{heddle.command(*words)}\nthe repaired twin failed: exit {code}, {report.get('failures')}, "
             f"{report.get('error')}")
print(f"failed at schedule {sorted(needed)}; the twin passed {report['schedules']}")
