"""Generated breakpoints: explore -> shrink -> breakpoints --patch -> plain g++ -> native runs, and the repaired twin
with the same breakpoints."""
import concurrent.futures
import difflib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from .bars import Bar, said
from .breakpoints import GXX, ROOT, STALLED
from .measure import table

RUNS = 100
TWIN_RUNS = 5
AT_ONCE = 8  # most of a stalled run is waiting
KERNELS_AT_ONCE = 2
TIME_OUT = 60  # of one native run, in seconds


class Chain:
    """What became of one kernel; `problem` says where the chain ended."""

    def __init__(self, kernel):
        self.kernel, self.problem = kernel, ""
        self.count = self.failed = self.runs = 0
        self.twin, self.twin_seconds = "", 0.0

    def holds(self):
        return not self.problem and self.runs != 0 and self.failed >= 0.99 * self.runs and self.twin == "passes"


def heddle(build, *words):
    done = subprocess.run([str(build / "bin/heddle"), *map(str, words)], capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL, cwd=ROOT)
    try:
        return json.loads(done.stdout), done
    except ValueError:
        return {}, done


def make_patch(build, kernel, folder, chain, schedules):
    """True: the patch is there."""
    program = build / "kernels" / kernel / "kernel"
    found, _ = heddle(build, "explore", "--json", "--quiet", "--runs", schedules, "--seed", 1, "--out",
                      folder / "found", "--", program)
    clips = [failure["clip"] for failure in found.get("failures", []) if failure.get("clip")]
    if not clips:
        chain.problem = "no failure found"
        return False
    small = folder / "small.clip"
    heddle(build, "shrink", "--json", "--quiet", "--time", "10s", clips[0], "-o", small)
    report, done = heddle(build, "breakpoints", "--json", "--quiet", "--time", "3m", "--root", ROOT, "--patch",
                          folder / "test.patch", small if small.exists() else clips[0])
    chain.count = report.get("count", 0)
    if not (folder / "test.patch").exists():
        chain.problem = report.get("error") or ("no set fails in every schedule" if report else done.stderr.strip())
    return not chain.problem


def compile_with_gxx(source, program):
    """None: compiled."""
    done = subprocess.run([*GXX, "-I", str(source.parent / "include"), str(source), "-o", str(program)],
                          capture_output=True,
                          text=True)
    return None if done.returncode == 0 else next((line for line in done.stderr.splitlines() if "error" in line),
                                                  "it does not compile")


def lay_out(kernel, folder):
    """The kernel's sources, and of Heddle the header alone."""
    shutil.copytree(ROOT / "include", folder / "include")
    (folder / "kernels" / kernel).mkdir(parents=True)
    for name in ("kernel.cpp", "fixed.cpp"):
        shutil.copy(ROOT / "kernels" / kernel / name, folder / "kernels" / kernel / name)


def run_natively(program):
    environment = {**os.environ, "HEDDLE_BREAKPOINTS": "on"}
    begin = time.monotonic()
    try:
        code = subprocess.run([str(program)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL, timeout=TIME_OUT).returncode
    except subprocess.TimeoutExpired:
        code = STALLED
    return code, time.monotonic() - begin


def carry_over(original, patched, twin, nearby):
    """The lines that the patch adds, before the same lines of the twin. Where the repair has changed the line itself,
    before what follows it there (`nearby`), or not at all."""
    same = {}
    for block in difflib.SequenceMatcher(None, original, twin, autojunk=False).get_matching_blocks():
        same.update({block.a + i: block.b + i for i in range(block.size)})

    def place(line):
        while line < len(original) and line not in same:
            line += 1
        return same.get(line, len(twin))

    edits = []
    for kind, begin, end, new_begin, new_end in difflib.SequenceMatcher(None, original, patched,
                                                                        autojunk=False).get_opcodes():
        added = patched[new_begin:new_end]
        if kind == "insert" and (nearby or begin in same):
            edits.append((place(begin), place(begin), added))
        elif kind == "replace" and all(line in same for line in range(begin, end)):
            edits.append((same[begin], same[end - 1] + 1, added))
        elif kind == "replace" and nearby:
            edits.append((place(begin), place(begin), [line for line in added if "HEDDLE_" in line]))
    for begin, end, added in reversed(edits):
        twin = twin[:begin] + added + twin[end:]
    return twin


def try_twin(kernel, folder, chain):
    """The same breakpoints in fixed.cpp."""
    place = folder / "kernels" / kernel
    read = [path.read_text().splitlines() for path in
            (ROOT / "kernels" / kernel / "kernel.cpp", place / "kernel.cpp", place / "fixed.cpp")]
    source = folder / "twin.cpp"
    for nearby in (True, False):
        source.write_text("\n".join(carry_over(*read, nearby)) + "\n")
        problem = compile_with_gxx(source, folder / "twin")
        if not problem:
            break
    if problem:
        chain.twin = problem
        return
    done = [run_natively(folder / "twin") for _ in range(TWIN_RUNS)]
    chain.twin_seconds = max(seconds for _, seconds in done)
    chain.twin = "passes" if all(code == 0 for code, _ in done) else "fails"


def finish_chain(kernel, folder, chain, runs):
    """From folder/test.patch to what became of the patched program and of its twin."""
    lay_out(kernel, folder)
    patched = subprocess.run(["patch", "-s", "-p1", "-i", str(folder / "test.patch")], cwd=folder, capture_output=True,
                             text=True)
    shutil.copytree(folder / "include", folder / "kernels" / kernel / "include")
    chain.problem = (patched.stdout + patched.stderr).strip() if patched.returncode != 0 else \
        compile_with_gxx(folder / "kernels" / kernel / "kernel.cpp", folder / "patched") or ""
    if chain.problem:
        return
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        codes = [code for code, _ in pool.map(lambda _: run_natively(folder / "patched"), range(runs))]
    chain.runs, chain.failed = runs, sum(code not in (0, 85) for code in codes)
    try_twin(kernel, folder, chain)


def try_kernel(build, kernel, runs=RUNS, schedules=2000):
    chain = Chain(kernel)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        try:
            if make_patch(build, kernel, folder, chain, schedules):
                finish_chain(kernel, folder, chain, runs)
        except subprocess.TimeoutExpired as late:
            chain.problem = f"heddle {late.cmd[1]} did not end in {late.timeout:.0f} s"
    print(f"{kernel}: {chain.count} breakpoints, {chain.failed} of {chain.runs} failed, twin {chain.twin or '-'} in "
          f"{chain.twin_seconds:.1f} s {chain.problem}", file=sys.stderr, flush=True)
    return chain


def generated(build, _rounds, runs=RUNS):
    kernels = sorted(path.parent.name for path in (ROOT / "kernels").glob("*/kernel.cpp"))
    with concurrent.futures.ThreadPoolExecutor(KERNELS_AT_ONCE) as pool:
        chains = list(pool.map(lambda kernel: try_kernel(pathlib.Path(build), kernel, runs), kernels))
    return section_text(chains, runs)



def intro(runs):
    return f"""`heddle explore`, `heddle shrink` and `heddle breakpoints --patch`, then plain g++ with only the
header of Heddle, and {runs} native runs, {AT_ONCE} at a time. *Twin*: the repaired program with the same
breakpoints, {TWIN_RUNS} runs; the table has the longest of them. A search has three minutes. The bar counts kernels
that fail in 99 of 100 runs and whose twin passes."""


def section_text(chains, runs):
    failing = sum(bool(chain.runs) and chain.failed >= 0.99 * chain.runs for chain in chains)
    rows = [[chain.kernel, chain.count or "", f"{chain.failed} of {chain.runs}" if chain.runs else "",
             chain.twin, f"{chain.twin_seconds:.1f} s" if chain.twin_seconds else "", chain.problem]
             for chain in chains]
    return "\n\n".join([
        "## Generated breakpoints",
        intro(runs),
        f"Kernels for which all of it holds: {sum(chain.holds() for chain in chains)} of {len(chains)}. Kernels that "
        f"fail in at least 99 of 100 runs: {failing}.",
        table(["kernel", "breakpoints", "failed", "twin", "longest run of the twin", "where the chain ended"], rows)])


SECTIONS = {"generated": generated}
BARS = {"generated": [Bar("kernels whose generated breakpoints reproduce the failure, and whose twin passes", ">= 15",
                          said(r"all of it holds: (\d+) of \d+"))]}
