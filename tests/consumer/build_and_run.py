#!/usr/bin/env python3
"""Builds a project against an installed Heddle, one way or the other, and finds its bug with the installed tool."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

parser = argparse.ArgumentParser()
parser.add_argument("--prefix", type=pathlib.Path, required=True)
parser.add_argument("--way", choices=("find_package", "compiler_driver"), required=True)
parser.add_argument("--clang", required=True, help="major version")
parser.add_argument("project", type=pathlib.Path)
args = parser.parse_args()

heddle = args.prefix / "bin" / "heddle"
by_driver = args.way == "compiler_driver"
compiler = args.prefix / "bin" / "heddle-c++" if by_driver else f"clang++-{args.clang}"
with tempfile.TemporaryDirectory() as scratch:
    build = pathlib.Path(scratch) / "build"
    subprocess.run(["cmake", "-S", args.project, "-B", build, f"-DCMAKE_PREFIX_PATH={args.prefix}",
                    f"-DBY_DRIVER={'ON' if by_driver else 'OFF'}", "-DCMAKE_BUILD_TYPE=Release"],
                   check=True, env={**os.environ, "CXX": str(compiler)})
    subprocess.run(["cmake", "--build", build], check=True)
    clip = pathlib.Path(scratch) / "lost.clip"
    for seed in range(1, 201):
        done = subprocess.run([heddle, "run", "--json", "--seed", str(seed), "--quantum", "2", "--clip", clip, "--",
                               build / "consumer"], stdout=subprocess.PIPE, check=False)
        report = json.loads(done.stdout)
        if done.returncode == 1:
            break
        if done.returncode != 0:
            sys.exit(f"seed {seed}: {report}")
    else:
        sys.exit("no schedule lost a count: the library's accesses are not seen")
    if any("counter" in path for path in report["uninstrumented"]):
        sys.exit(f"the library is not instrumented: {report['uninstrumented']}")
    subprocess.run([heddle, "replay", "--quiet", "--times", "3", clip], check=True)

    # The same by the project's own tests.
    results = pathlib.Path(scratch) / "ctest.xml"
    subprocess.run(["ctest", "--test-dir", build, "--output-junit", results], check=False)
    states = {case.get("name"): case.get("status") for case in xml.etree.ElementTree.parse(results).iter("testcase")}
    if states != {"at_once": "fail", "in_turn": "run"}:
        sys.exit(f"heddle_add_test: {states}")
    if not (build / "at_once.xml").exists():
        sys.exit("heddle_add_test: there is no JUnit file")
    subprocess.run([heddle, "replay", "--quiet", build / "heddle-clips" / "at_once" / "consumer.clip"], check=True)
