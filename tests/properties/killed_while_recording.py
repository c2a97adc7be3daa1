#!/usr/bin/env python3
"""Law: kill -9 of the program or of heddle at a random moment while recording leaves a trace that reads as a prefix."""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

from heddle_tool import Heddle, fail

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--times", type=int, default=10)
parser.add_argument("program", nargs="+")
args = parser.parse_args()
heddle = Heddle(args.heddle)
moment = random.Random(11)


def children_of(pid):
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


with tempfile.TemporaryDirectory() as scratch:
    events = []
    for number in range(args.times):
        trace = pathlib.Path(scratch) / f"{number}.htrace"
        running = subprocess.Popen([args.heddle, "run", "--quiet", "--record", str(trace), "--", *args.program],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not trace.exists() or not children_of(running.pid):
            if running.poll() is not None:
                fail("the program ended before it could be killed")
        time.sleep(moment.uniform(0.02, 0.4))
        victims = [running.pid] if number % 2 else children_of(running.pid)
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        running.wait()
        report, code = heddle("trace", "info", trace)
        if code != 0:
            fail(f"after kill -9 of {'heddle' if number % 2 else 'the program'}: trace info ended with {code}: "
                 f"{report}")
        if len(report.get("problems", [])) > 1:
            fail(f"more than one problem: {report['problems']}")
        events.append(report["events"])
    if max(events) == 0:
        fail("no trace held an event")
print(f"killed {args.times} times, traces of {events} events")
