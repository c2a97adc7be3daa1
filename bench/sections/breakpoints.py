"""Concurrent breakpoints (include/heddle/breakpoint.h) against Tables 1 and 2 of Park and Sen: kernels with hand-written
breakpoints (breakpoints.patch in their folders), built with plain g++ and run natively."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile
import time

from .measure import interleaved, table

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RUNS = 100
AT_ONCE = 8  # most of a stalled run is waiting for the second after which it counts as stalled
STALLED = 86
GXX = ["g++", "-std=c++20", "-O2", "-g", "-UNDEBUG", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-pthread"]

# The paper's rows: benchmark, breakpoint, error, probability, overhead in per cent, remark; and our kernel.
TABLE_1 = [
    ("cache4j", "race1", "", "1.00", "4.9", "", "Cache4j-race"),
    ("cache4j", "race2", "", "0.99", "6.2", "", None),
    ("cache4j", "race3", "", "1.00", "5.5", "", None),
    ("cache4j", "atomicity1", "", "1.00", "3.0", "ignoreFirst=7200", "Cache4j-atomicity"),
    ("hedc", "race1", "", "0.87", "14.7", "wait=100ms", "Hedc"),
    ("hedc", "race1", "", "1.00", "115.4", "wait=1000ms", "Hedc"),
    ("hedc", "race2", "", "0.96", "-6.8", "wait=1000ms", None),
    ("jigsaw", "deadlock1", "stall", "1.00", "-", "", "Jigsaw"),
    ("jigsaw", "deadlock2", "stall", "1.00", "-", "", "Jigsaw-deadlock2"),
    ("jigsaw", "missed-notify1", "stall", "1.00", "-", "Meth. II", "Jigsaw-missed-notification"),
    ("jigsaw", "race1", "stall", "1.00", "-", "", "Jigsaw-race"),
    ("jigsaw", "race2", "", "1.00", "-", "", None),
    ("log4j", "deadlock1", "stall", "1.00", "9", "", "log4j-deadlock"),
    ("log4j", "missed-notify1", "stall", "1.00", "-", "Meth. II", "log4j"),
    ("logging", "deadlock1", "stall", "1.00", "0", "", "logging-deadlock"),
    ("lucene", "deadlock1", "stall", "1.00", "17", "", "lucene-deadlock"),
    ("moldyn", "race1", "", "1.00", "9.7", "bound=4", "Moldyn"),
    ("moldyn", "race2", "", "1.00", "18.6", "bound=10", "Moldyn"),
    ("montecarlo", "race1", "", "1.00", "17.4", "bound=10", "MonteCarlo"),
    ("pool", "missed-notify1", "stall", "1.00", "-", "Meth. II", "pool"),
    ("raytracer", "race1", "test fail", "1.00", "16.1", "", "RayTracer"),
    ("raytracer", "race2", "test fail", "1.00", "9.0", "", None),
    ("raytracer", "race3", "", "1.00", "24.0", "", None),
    ("raytracer", "race4", "", "1.00", "30.2", "", None),
    ("stringbuffer", "atomicity1", "exception", "1.00", "21", "", "StringBuf"),
    ("swing", "deadlock1", "stall", "0.63", "521", "wait=100ms", "swing-deadlock"),
    ("swing", "deadlock1", "stall", "0.99", "1230", "wait=1000ms", "swing-deadlock"),
    ("synchronizedList", "atomicity1", "exception", "1.00", "6", "", "SyncList-atomicity"),
    ("synchronizedList", "deadlock1", "stall", "1.00", "2", "", "SyncList-deadlock"),
    ("synchronizedMap", "atomicity1", "", "1.00", "31", "", "SyncMap-atomicity"),
    ("synchronizedMap", "deadlock1", "stall", "1.00", "-2", "", "SyncMap-deadlock"),
    ("synchronizedSet", "atomicity1", "exception", "1.00", "39", "", "SyncSet-atomicity"),
    ("synchronizedSet", "deadlock1", "stall", "1.00", "2", "", "SyncSet-deadlock"),
]
# Program, error, mean time to error in seconds, breakpoints needed; our kernel.
TABLE_2 = [
    ("pbzip2 0.9.4", "program crash", "1.2", "2", "PBZip2-Order"),
    ("Apache httpd 2.0.45", "log corruption", "0.14", "1", "Apache-LogSz"),
    ("Apache httpd 2.0.45", "server crash", "0.33", "3", "httpd-overflow"),
    ("MySQL 4.0.12", "log omission", "0.12", "2", "MySQL-BinLog"),
    ("MySQL 3.23.56", "log disorder", "0.065", "1", "MySQL-169"),
    ("MySQL 4.0.19", "server crash", "2.67", "3", "MySQL-3596"),
]
# Runs that take a second or so: with two threads, where breakpoints are hit, for the cost of having them on; and with
# arguments under which the bug cannot show, for the cost of having them compiled in and off.
LONG_ON = {"Moldyn": "2 400 400", "MonteCarlo": "2 1500000 60", "RayTracer": "2 9000"}
LONG_OFF = {"Moldyn": "1 300 300", "MonteCarlo": "1 1500000 60", "Cache4j-atomicity": "1 1500000", "pool": "1 8000000",
            "log4j": "1 200000 0", "MySQL-3596": "1 30000000 0"}


def has_patch(kernel):
    return kernel is not None and (ROOT / "kernels" / kernel / "breakpoints.patch").exists()


def build_kernel(kernel, scratch):
    """(without breakpoints, with breakpoints)"""
    folder = pathlib.Path(scratch) / kernel
    (folder / "kernels" / kernel).mkdir(parents=True)
    source = folder / "kernels" / kernel / "kernel.cpp"
    source.write_text((ROOT / "kernels" / kernel / "kernel.cpp").read_text())
    plain, patched = folder / "plain", folder / "patched"
    subprocess.run([*GXX, str(source), "-o", str(plain)], check=True)
    subprocess.run(["patch", "-s", "-p1", "-i", str(ROOT / "kernels" / kernel / "breakpoints.patch")], cwd=folder,
                   check=True)
    subprocess.run([*GXX, "-I", str(ROOT / "include"), str(source), "-o", str(patched)], check=True)
    return plain, patched


def names_of(kernel):
    patch = (ROOT / "kernels" / kernel / "breakpoints.patch").read_text()
    return sorted(set(re.findall(r'^\+.*HEDDLE_BREAKPOINT(?:_HERE)?\("([^"]+)"', patch, re.MULTILINE)))


class Run:
    """One run with breakpoints on: the names that were hit, whether it failed, and how long it took."""

    def __init__(self, program, arguments=()):
        with tempfile.TemporaryDirectory() as folder:
            statistics = pathlib.Path(folder) / "statistics"
            environment = {**os.environ, "HEDDLE_BREAKPOINTS": "on", "HEDDLE_BREAKPOINT_STATS": str(statistics)}
            begin = time.monotonic()
            try:
                code = subprocess.run([str(program), *arguments], env=environment, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=60).returncode
            except subprocess.TimeoutExpired:
                code = STALLED
            self.seconds = time.monotonic() - begin
            self.failed, self.stalled = code != 0, code == STALLED
            lines = statistics.read_text().splitlines() if statistics.exists() else []
        self.hit = {words[1] for words in (line.split("\t") for line in lines)
                    if words[0] == "heddle-breakpoint" and any(w.startswith("hit ") and w != "hit 0" for w in words)}


class Measured:
    def __init__(self, kernel, patched, runs):
        self.names = names_of(kernel)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            done = list(pool.map(lambda _: Run(patched), range(runs)))
        self.hit = sum(set(self.names) <= run.hit for run in done) / runs
        self.failed = sum(run.failed for run in done) / runs
        self.stalled = sum(run.stalled for run in done) / runs
        failing = [run.seconds for run in done if run.failed]
        self.time_to_error = sum(failing) / max(1, len(failing))


def commands(plain, patched, arguments, **environment):
    prefix = ["env", "-u", "HEDDLE_BREAKPOINTS", *(f"{key}={value}" for key, value in environment.items())]
    words = arguments.split()
    # A kernel whose bug shows ends with a failure; here only the time counts.
    quiet = ["sh", "-c", '"$@" >/dev/null 2>&1; true', "sh"]
    return {"absent": [*quiet, *prefix, str(plain), *words], "there": [*quiet, *prefix, str(patched), *words]}


def ratio(times):
    return f"{100 * (times['there'] / times['absent'] - 1):+.1f} %"


def overheads(builds, rounds):
    rows = []
    for kernel in sorted({**LONG_ON, **LONG_OFF}):
        if kernel not in builds:
            continue
        cells = []
        for arguments, environment in ((LONG_ON.get(kernel), {"HEDDLE_BREAKPOINTS": "on"}), (LONG_OFF.get(kernel), {})):
            if arguments is None:
                cells += ["", ""]
                continue
            times = interleaved(commands(*builds[kernel], arguments, **environment), rounds)
            cells += [f"{times['absent']:.2f} s", ratio(times)]
        rows.append([kernel, *cells])
    return table(["kernel", "normal run, two threads", "breakpoints on", "normal run, no bug", "compiled in, off"], rows)


def breakpoints(_build, rounds, runs=RUNS):
    kernels = sorted({row[-1] for row in TABLE_1 + TABLE_2 if has_patch(row[-1])})
    with tempfile.TemporaryDirectory() as scratch:
        builds = {kernel: build_kernel(kernel, scratch) for kernel in kernels}
        ours = {kernel: Measured(kernel, builds[kernel][1], runs) for kernel in kernels}
        costs = overheads(builds, rounds)

    def cells(kernel):
        if kernel not in ours:
            return ["no kernel", "", "", ""]
        row = ours[kernel]
        return [kernel, len(row.names), f"{row.hit:.2f}",
                f"{row.failed:.2f}" + (" (stall)" if row.stalled > row.failed / 2 else "")]

    first = [[*row[:6], *cells(row[6])] for row in TABLE_1]
    second = [[*row[:4], *cells(row[4]), f"{ours[row[4]].time_to_error:.3f} s" if row[4] in ours else ""]
              for row in TABLE_2]
    return "\n\n".join([
        "## Breakpoints",
        f"Kernels with hand-written breakpoints (`breakpoints.patch` in their folders), built with plain g++ and run {runs} "
        "times natively, all cores. *P(hit)*: runs in which every breakpoint of the patch was hit; a stall is found by "
        "the library itself after one second. Bar: >= 0.99. Not the paper's setting: the patches wait up to 5 s for a "
        "partner, not 100 ms, and many have further breakpoints that bring the threads to the first one. A kernel that "
        "stands for several rows of the paper is measured once; the other rows have no kernel.",
        table(["benchmark", "breakpoint", "error", "paper: prob.", "paper: overhead %", "paper: remark", "kernel",
               "breakpoints", "P(hit)", "P(failure)"], first),
        table(["program", "error", "paper: time to error, s", "paper: breakpoints", "kernel", "breakpoints", "P(hit)",
               "P(failure)", "mean time to error"], second),
        "Cost, as a ratio to the same program without the patch. Bars: <= 40 % with breakpoints on, 0 % (within noise) "
        "when they are compiled in but off.",
        costs])


SECTIONS = {"breakpoints": breakpoints}
