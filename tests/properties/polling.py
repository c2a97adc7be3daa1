#!/usr/bin/env python3
"""Law: the clip of a polling server replays exactly, independent of when its client's bytes arrive."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

from heddle_tool import Heddle, fail

TIMES = 10

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--compiler", required=True)
parser.add_argument("programs", type=pathlib.Path)
args = parser.parse_args()
heddle = Heddle(args.heddle)
client = f"{sys.executable} {args.programs / 'polling_client.py'} $HEDDLE_PORT"

with tempfile.TemporaryDirectory() as folder:
    server = pathlib.Path(folder) / "polling_server"
    subprocess.run([args.compiler, "-std=c++20", "-O1", "-g", "-UNDEBUG", str(args.programs / "polling_server.cpp"),
                    "-o", str(server), "-pthread"], check=True)
    for way in ("poll", "select", "epoll"):
        report, code = heddle("explore", "--runs", 500, "--driver", client, "--out", folder, "--", server, 0, way)
        if code != 1:
            fail(f"{way}: no failure in {report['schedules']} schedules")
        clip = report["failures"][0]["clip"]
        for engine in ("fiber", "thread"):
            replayed, code = heddle("replay", "--engine", engine, "--times", TIMES, clip)
            if code != 0 or replayed["reproduced_runs"] != TIMES:
                fail(f"{way} on the {engine} engine: {replayed}")
            print(f"{way}: {TIMES} of {TIMES} on the {engine} engine")
