#!/usr/bin/env python3
"""Law: known.clip of every kernel reproduces its failure, by its sites, in the new build of the kernel, and not in
the repaired twin. If the clip was made with the same build, it also replays exactly."""
import argparse
import json
import pathlib
import tempfile
import tomllib

from heddle_tool import Heddle, fail

# Kernels without a clip that holds on every machine, and why.
WITHOUT = {
    "Server-Stats": "what it does depends on when its client's bytes arrive",
}

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--sources", required=True, type=pathlib.Path)
parser.add_argument("--programs", required=True, type=pathlib.Path)
args = parser.parse_args()
heddle = Heddle(args.heddle)


def by_site(clip, folder):
    """The clip as seen by a build other than its own."""
    head, *rest = clip.read_text().splitlines()
    copy = pathlib.Path(folder) / clip.name
    copy.write_text("\n".join([json.dumps({**json.loads(head), "build_id": ""}), *rest]) + "\n")
    return copy


def check(kernel, folder):
    """What is wrong with this kernel's clip; and whether it replays exactly."""
    clip = kernel / "known.clip"
    if not clip.exists():
        return f"{kernel.name} has no known.clip: tools/make_known_clips.py makes it", False
    expected = tomllib.loads((kernel / "expect.toml").read_text())
    end = json.loads(clip.read_text().splitlines()[-1])
    if end["end"] not in {expected["kind"], *expected.get("also", [])}:
        return f"{clip} ends with {end['end']}, not as its expect.toml says", False
    programs = args.programs / kernel.name
    report, _ = heddle("replay", clip, "--", programs / "kernel")
    # Another runtime than the clip's may count events otherwise, so that only a replay by site must hold in any case.
    exact = report["exact"] and report["verdict"] == "reproduced"
    report, _ = heddle("replay", by_site(clip, folder), "--", programs / "kernel")
    if report["verdict"] != "reproduced":
        return f"{heddle.command('replay', clip, '--', programs / 'kernel')}\nsays {report['verdict']}: {report}", exact
    report, _ = heddle("replay", clip, "--", programs / "fixed")
    if report["verdict"] == "reproduced":
        return f"{heddle.command('replay', clip, '--', programs / 'fixed')}\nthe repaired twin fails: {report}", exact
    return None, exact


problems, exact_count, count = [], 0, 0
with tempfile.TemporaryDirectory() as scratch:
    for kernel in sorted(path.parent for path in args.sources.glob("*/expect.toml")):
        if kernel.name in WITHOUT:
            continue
        problem, exact = check(kernel, scratch)
        problems += [problem] if problem else []
        exact_count += exact
        count += 1
if problems:
    fail("\n".join(problems))
print(f"{count} clips reproduce, {exact_count} of them exactly; none does in the repaired twin")
for name, why in WITHOUT.items():
    print(f"{name} has none: {why}")
