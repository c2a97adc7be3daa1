#!/usr/bin/env python3
"""Law: a kernel's failing clip replays with one event hash on each engine, with address randomisation on and
personality refused, a larger environment, another working directory and background load."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

from heddle_tool import Heddle, fail, find_failing_clip

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--times", type=int, default=100)
parser.add_argument("--budget", type=int, default=1000)
parser.add_argument("kernel")
args = parser.parse_args()

heddle = Heddle(args.heddle)
BUSY = "while True: pass"
with tempfile.TemporaryDirectory() as folder:
    clip = pathlib.Path(folder) / "failure.clip"
    recorded = find_failing_clip(heddle, args.kernel, clip, args.budget)
    if any("libheddle_rt" in frame["module"] for frame in recorded["stack"]):
        fail(f"the stack of the failure has frames of Heddle's own: {recorded['stack']}")
    variations = {
        "plain": {},
        "randomised addresses": {"HEDDLE_KEEP_ASLR": "1"},
        "randomised addresses, larger environment": {"HEDDLE_KEEP_ASLR": "1", "PADDING": "x" * 5003},
    }
    (pathlib.Path(folder) / "elsewhere").mkdir()
    for engine in ("fiber", "thread"):
        for number, (name, environment) in enumerate(variations.items()):
            load = subprocess.Popen([sys.executable, "-c", BUSY]) if number == 2 else None
            try:
                words = ("replay", "--engine", engine, "--times", args.times // len(variations) + 1, clip)
                report, code = heddle(*words, env=environment, cwd=pathlib.Path(folder) / "elsewhere")
            finally:
                if load:
                    load.kill()
                    load.wait()
            where = f"{heddle.command(*words)} ({name})"
            if code != 0 or report["reproduced_runs"] != report["runs"] or not report["exact"]:
                fail(f"{where}\nreproduced {report.get('reproduced_runs')} of {report.get('runs')}: {report}")
            if report["event_hash"] != recorded["event_hash"]:
                fail(f"{where}\nended with {report['event_hash']}, recorded was {recorded['event_hash']}")
print(f"{recorded['outcome']['signature']}: {2 * len(variations)} x {args.times // len(variations) + 1} replays, "
      "one hash")
