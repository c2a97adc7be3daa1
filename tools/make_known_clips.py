#!/usr/bin/env python3
"""Writes known.clip for the kernels of the corpus: of the failing executions found, the one with the fewest
preemptions that also fails, by its sites, in a kernel built in another place with its lines moved, and passes in the
repaired twin. usage: tools/make_known_clips.py --build build [KERNEL...]; without names, for all that have none or
whose clip does not reproduce with the kernel as it is now (--all: for all)."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEMATIC_SEEDS = 16
SEEDS = 4   # of the portfolio; each gives one candidate
SHRUNK = 2  # of these, the plainest
MOVED = "// A line that was not there when the clip was made.\n"


def heddle(*words):
    done = subprocess.run([args.build / "bin/heddle", words[0], "--json", "--quiet", *map(str, words[1:])],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                          errors="replace")
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"make_known_clips: {' '.join(map(str, done.args))} printed no JSON:\n{done.stdout}{done.stderr}")


def verdict(clip, program):
    return heddle("replay", clip, "--", program).get("verdict")


def lines_of(clip):
    return [json.loads(line) for line in clip.read_text().splitlines()]


def preemptions_of(clip):
    return next(line["preemptions"] for line in lines_of(clip) if "end" in line)


def shrunk(clip):
    small = clip.with_suffix(".small.clip")
    heddle("shrink", clip, "-o", small, "--time", "20s")
    return small if small.exists() else clip


def search(program, kinds, folder, strategy, seed):
    """The first failure with everything armed, so that its clip does not depend on a profile."""
    report = heddle("explore", "--strategy", strategy, "--seed", seed, "--jobs", 1, "--arm", "all", "--runs", 2000,
                    "--time", "60s", "--out", folder / f"{strategy}-{seed}", "--", program)
    return next((failure for failure in report["failures"] if failure["clip"] and failure["kind"] in kinds), None)


def candidates(program, kinds, folder):
    """Failing clips, the simplest first; each is searched for when requested."""
    for seed in range(1, SYSTEMATIC_SEEDS + 1):
        failure = search(program, kinds, folder, "preemptions", seed)
        if failure is None:
            break
        # The systematic search reaches those with the fewest preemptions first; but its first run is a random one.
        if failure["strategy"] == "systematic":
            yield pathlib.Path(failure["clip"])
            break
    failures = [search(program, kinds, folder, "portfolio", seed) for seed in range(1, SEEDS + 1)]
    found = sorted((pathlib.Path(failure["clip"]) for failure in failures if failure), key=preemptions_of)
    yield from map(shrunk, found[:SHRUNK])
    yield from found


def rebuilt(kernel, folder):
    """The kernel, built in another folder and with its lines moved."""
    source = folder / "kernel.cpp"
    source.write_text(MOVED + (kernel / "kernel.cpp").read_text())
    subprocess.run([args.build / "bin/heddle-c++", "-std=c++20", "-O1", "-g", "-UNDEBUG", source, "-o",
                    folder / "rebuilt", "-pthread"], check=True)
    return folder / "rebuilt"


def without_machine(line, programs):
    """The line without what is specific to this machine: folders, the processor."""
    if "heddle_clip" in line:
        line["program"] = "kernel"
        line["processor"] = ""
        line["modules"] = [{**module, "path": "kernel"} for module in line["modules"]
                           if module["path"] == str(programs / "kernel")]
    for key in ("at", "message"):
        if key in line:
            line[key] = line[key].replace(f"{ROOT}/", "")
    return line


def make(kernel):
    programs = args.build / "kernels" / kernel.name
    expected = tomllib.loads((kernel / "expect.toml").read_text())
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        moved = rebuilt(kernel, folder)
        for clip in candidates(programs / "kernel", {expected["kind"], *expected.get("also", [])}, folder):
            portable = folder / "known.clip"
            portable.write_text("".join(json.dumps(without_machine(line, programs), separators=(",", ":")) + "\n"
                                        for line in lines_of(clip)))
            if (verdict(portable, programs / "kernel") == "reproduced" and verdict(portable, moved) == "reproduced"
                    and verdict(portable, programs / "fixed") != "reproduced"):
                shutil.copy(portable, kernel / "known.clip")
                return f"{preemptions_of(portable)} preemptions, {portable.stat().st_size} bytes"
    return None


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", type=lambda text: pathlib.Path(text).resolve(), default=ROOT / "build")
parser.add_argument("--all", action="store_true")
parser.add_argument("kernels", nargs="*", metavar="KERNEL")
args = parser.parse_args()

without = []
for kernel in sorted(path.parent for path in (ROOT / "kernels").glob("*/expect.toml")):
    known = kernel / "known.clip"
    wanted = kernel.name in args.kernels if args.kernels else (
        args.all or not known.exists() or
        verdict(known, args.build / "kernels" / kernel.name / "kernel") != "reproduced")
    if not wanted or (kernel / "client.cpp").exists():
        continue
    made = make(kernel)
    print(f"{kernel.name}: {made or 'no candidate holds'}", flush=True)
    if made is None:
        without.append(kernel.name)
if without:
    sys.exit(f"make_known_clips: no clip for {' '.join(without)}")
