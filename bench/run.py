#!/usr/bin/env python3
"""Measures, and writes the pages of docs/evaluation/ and their summary, docs/evaluation.md. Every figure is a ratio in
one run, or a count: this machine's absolute times are noise. Slices of what is compared are interleaved, and the median
of each is taken."""
import argparse
import datetime
import os
import pathlib
import platform
import sys

import evaluation

ROOT = pathlib.Path(__file__).resolve().parent.parent


def machine():
    with open("/proc/cpuinfo") as lines:
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "?")
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release().split('-')[0]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, help="build folder with tools and benchmarks")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved slices per figure")
    parser.add_argument("--only", default="", help="comma-separated names of sections; the others keep their old text")
    parser.add_argument("--rewrite", action="store_true",
                        help="measure nothing: write the documents from their old text")
    args = parser.parse_args()
    if args.build is None and not args.rewrite:
        parser.error("--build or --rewrite is needed")
    sections = evaluation.read_sections(ROOT / "docs/evaluation")
    wanted = [name for name in args.only.split(",") if name] or list(evaluation.SECTIONS)
    if unknown := [name for name in wanted if name not in evaluation.SECTIONS]:
        parser.error(f"unknown sections: {' '.join(unknown)}; there are {' '.join(evaluation.SECTIONS)}")
    for name in [] if args.rewrite else wanted:
        print(f"bench: {name}", file=sys.stderr, flush=True)
        text = evaluation.SECTIONS[name](args.build.resolve(), args.rounds)
        sections[name] = f"{text}\n\n_{machine()}, {datetime.date.today().isoformat()}_"
        evaluation.write(ROOT, sections)
    evaluation.write(ROOT, sections)
    print("bench: wrote docs/evaluation.md and docs/evaluation/", file=sys.stderr)


main()
