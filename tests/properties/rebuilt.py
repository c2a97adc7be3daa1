#!/usr/bin/env python3
"""Law: a clip still fails after a rebuild that moves lines and adds a function, and its verdict for the repaired twin
is `fixed`."""
import argparse
import pathlib
import subprocess
import tempfile

from heddle_tool import Heddle, fail, find_plain_clip

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--compiler", required=True)
parser.add_argument("--budget", type=int, default=200)
parser.add_argument("folder", type=pathlib.Path)
args = parser.parse_args()
heddle = Heddle(args.heddle)

INSERTED = """// A comment line that was not there.
namespace {
[[maybe_unused]] int inserted_counter;
[[maybe_unused]] void inserted_function(int by) { inserted_counter += by; }
}
"""


def build(source, folder, name):
    path = folder / "kernel.cpp"
    path.write_text(source)
    program = folder / name
    subprocess.run([args.compiler, "-std=c++20", "-O1", "-g", "-UNDEBUG", str(path), "-o", str(program), "-pthread"],
                   check=True)
    return program


def insert_before_first_namespace(source):
    head, marker, rest = source.partition("\nnamespace")
    return head + "\n" + INSERTED + marker + rest if marker else INSERTED + source


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    source = (args.folder / "kernel.cpp").read_text()
    clip = folder / "failure.clip"
    recorded = find_plain_clip(heddle, build(source, folder, "original"), clip, args.budget)

    rebuilt = build(insert_before_first_namespace(source), folder, "rebuilt")
    report, code = heddle("replay", clip, "--", rebuilt)
    if code != 0 or report["verdict"] != "reproduced" or report["exact"]:
        fail(f"the rebuilt program: {report}")

    twin = build((args.folder / "fixed.cpp").read_text(), folder, "twin")
    report, code = heddle("replay", "--expect", "fixed", clip, "--", twin)
    if code != 0 or report["verdict"] != "fixed":
        fail(f"the repaired twin: {report}")
print(f"{recorded['outcome']['signature']}: reproduced after a rebuild, fixed in the twin")
