#!/usr/bin/env python3
"""Law: a program that is right natively is right under control, on both engines and in every schedule; and two runs
with one seed have one event hash."""
import argparse

from heddle_tool import Heddle, fail

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--engine", required=True)
parser.add_argument("--seeds", type=int, default=5)
parser.add_argument("--seconds-max", type=float, help="real time that a run may take")
parser.add_argument("program", nargs="+")
args = parser.parse_args()

heddle = Heddle(args.heddle)
schedules = [("--strategy", "sequential"), ("--strategy", "reverse"), ("--strategy", "round-robin", "--quantum", 3)]
schedules += [("--strategy", "random", "--quantum", (1, 3, 10, 50)[seed % 4], "--seed", seed)
              for seed in range(1, args.seeds + 1)]
for schedule in schedules:
    words = ("run", "--engine", args.engine, "--timeout", "60s", *schedule, "--", *args.program)
    report, code = heddle(*words)
    if code != 0:
        fail(f"{heddle.command(*words)}\nended with exit code {code}: {report.get('outcome', report)}")
    if args.seconds_max is not None and report["seconds"] > args.seconds_max:
        fail(f"{heddle.command(*words)}\ntook {report['seconds']} s")
    again, code = heddle(*words)
    # A run that a busy machine cut short has another hash, too: that is said as what it is.
    if code != 0:
        fail(f"{heddle.command(*words)}\nended the second time with exit code {code}: {again.get('outcome', again)}")
    if again["event_hash"] != report["event_hash"]:
        fail(f"{heddle.command(*words)}\ntwice gave {report['event_hash']} and {again['event_hash']}")
print(f"{len(schedules)} schedules, each twice")
