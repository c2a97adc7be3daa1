"""Concurrent breakpoints (include/heddle/breakpoint.h) against Tables 1 and 2 of Park and Sen: kernels with
hand-written breakpoints (breakpoints.patch in their folders), built with plain g++ and run natively."""
import concurrent.futures
import os
import pathlib
import re
import signal
import statistics
import subprocess
import tempfile
import threading
import time

from .bars import Bar, smallest
from .measure import interleaved, run_json, table

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RUNS = 100
SHORT_ROUNDS = 15
TIME_OUT = 60  # of one run, in seconds
AT_ONCE = 8  # most of a stalled run is waiting for the second after which it counts as stalled
STALLED = 86
GXX = ["g++", "-std=c++20", "-O2", "-g", "-UNDEBUG", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-pthread"]

# The paper's rows: benchmark, breakpoint, error, probability, overhead in per cent, remark; and our kernel, with the
# name of the patch where the folder has more than one.
TABLE_1 = [
    ("cache4j", "race1", "", "1.00", "4.9", "", "Cache4j-race"),
    ("cache4j", "race2", "", "0.99", "6.2", "", "Cache4j-race/race2"),
    ("cache4j", "race3", "", "1.00", "5.5", "", "Cache4j-race/race3"),
    ("cache4j", "atomicity1", "", "1.00", "3.0", "ignoreFirst=7200", "Cache4j-atomicity"),
    ("hedc", "race1", "", "0.87", "14.7", "wait=100ms", "Hedc"),
    ("hedc", "race1", "", "1.00", "115.4", "wait=1000ms", "Hedc"),
    ("hedc", "race2", "", "0.96", "-6.8", "wait=1000ms", "Hedc/race2"),
    ("jigsaw", "deadlock1", "stall", "1.00", "-", "", "Jigsaw"),
    ("jigsaw", "deadlock2", "stall", "1.00", "-", "", "Jigsaw-deadlock2"),
    ("jigsaw", "missed-notify1", "stall", "1.00", "-", "Meth. II", "Jigsaw-missed-notification"),
    ("jigsaw", "race1", "stall", "1.00", "-", "", "Jigsaw-race"),
    ("jigsaw", "race2", "", "1.00", "-", "", "Jigsaw-race/race2"),
    ("log4j", "deadlock1", "stall", "1.00", "9", "", "log4j-deadlock"),
    ("log4j", "missed-notify1", "stall", "1.00", "-", "Meth. II", "log4j"),
    ("logging", "deadlock1", "stall", "1.00", "0", "", "logging-deadlock"),
    ("lucene", "deadlock1", "stall", "1.00", "17", "", "lucene-deadlock"),
    ("moldyn", "race1", "", "1.00", "9.7", "bound=4", "Moldyn"),
    ("moldyn", "race2", "", "1.00", "18.6", "bound=10", "Moldyn"),
    ("montecarlo", "race1", "", "1.00", "17.4", "bound=10", "MonteCarlo"),
    ("pool", "missed-notify1", "stall", "1.00", "-", "Meth. II", "pool"),
    ("raytracer", "race1", "test fail", "1.00", "16.1", "", "RayTracer"),
    ("raytracer", "race2", "test fail", "1.00", "9.0", "", "RayTracer/race2"),
    ("raytracer", "race3", "", "1.00", "24.0", "", "RayTracer/race3"),
    ("raytracer", "race4", "", "1.00", "30.2", "", "RayTracer/race4"),
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


def patch_of(row):
    kernel, _, name = row.partition("/")
    return ROOT / "kernels" / kernel / (f"breakpoints-{name}.patch" if name else "breakpoints.patch")


class Build:
    """A kernel's source without breakpoints and with those of a patch, and what is compiled of it."""

    def __init__(self, row, scratch):
        kernel = row.partition("/")[0]
        self.folder = pathlib.Path(scratch) / row
        source = self.folder / "kernels" / kernel / "kernel.cpp"
        source.parent.mkdir(parents=True)
        self.plain_text = (ROOT / "kernels" / kernel / "kernel.cpp").read_text()
        source.write_text(self.plain_text)
        subprocess.run(["patch", "-s", "-p1", "-i", str(patch_of(row))], cwd=self.folder, check=True)
        self.patched_text = source.read_text()

    def default_time_outs_text(self):
        return re.sub(r"\.timeout_ms\(\d+\)", "", self.patched_text)

    def compile(self, text, name, *options):
        """The path of what it is compiled to."""
        source, result = self.folder / f"{name}.cpp", self.folder / name
        source.write_text(text)
        subprocess.run([*GXX, "-I", str(ROOT / "include"), *options, str(source), "-o", str(result)], check=True)
        return result


def names_of(row):
    return sorted(set(re.findall(r'^\+\s*(?:HEDDLE_BREAKPOINT(?:_HERE)?\()?\s*"([^"]+)"', patch_of(row).read_text(),
                                 re.MULTILINE)))


class Run:
    """One run: the names of the breakpoints that were hit, whether it failed, and how long it took."""

    def __init__(self, program, arguments="", on=True):
        with tempfile.TemporaryDirectory() as folder:
            counts = pathlib.Path(folder) / "statistics"
            environment = {**os.environ, "HEDDLE_BREAKPOINTS": "on" if on else "off",
                           "HEDDLE_BREAKPOINT_STATS": str(counts)}
            begin = time.monotonic()
            process = subprocess.Popen([str(program), *arguments.split()], env=environment, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
            # Not wait(TIME_OUT): that looks for the end twenty times a second.
            limit = threading.Timer(TIME_OUT, process.kill)
            limit.start()
            code = process.wait()
            self.seconds = time.monotonic() - begin
            limit.cancel()
            self.failed, self.stalled = code != 0, code in (STALLED, -signal.SIGKILL)
            lines = counts.read_text().splitlines() if counts.exists() else []
        self.hit = {words[1] for words in (line.split("\t") for line in lines)
                    if words[0] == "heddle-breakpoint" and any(w.startswith("hit ") and w != "hit 0" for w in words)}


class Measured:
    def __init__(self, row, build, runs):
        self.names = names_of(row)
        plain, patched = build.compile(build.plain_text, "plain"), build.compile(build.patched_text, "patched")
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            done = list(pool.map(lambda _: Run(patched), range(runs)))
        self.hit = sum(set(self.names) <= run.hit for run in done) / runs
        self.failed = sum(run.failed for run in done) / runs
        self.stalled = sum(run.stalled for run in done) / runs
        failing = [run.seconds for run in done if run.failed]
        self.time_to_error = statistics.mean(failing) if failing else 0
        self.stalls = self.stalled > self.failed / 2
        if not self.stalls:
            self.times = interleaved({"absent": (plain, "", False), "there": (patched, "")}, SHORT_ROUNDS,
                                     lambda run: Run(*run).seconds)

    def cells(self):
        return [len(self.names), f"{self.hit:.2f}", f"{self.failed:.2f}" + (" (stall)" if self.stalls else ""),
                f"{self.time_to_error:.3f} s" if self.failed else "-"]

    def overhead(self):
        """In milliseconds, and in per cent of the run without breakpoints."""
        if self.stalls:
            return "-"
        absent, there = (1000 * self.times[name] for name in ("absent", "there"))
        return f"{there - absent:+.1f} ms of {absent:.1f} ({100 * (there / absent - 1):+.0f} %)"



def intro(runs):
    return f"""Kernels with hand-written breakpoints (`breakpoints.patch` in their folders, `breakpoints-race2.patch`
and so on for further rows of the paper), built with plain g++ and run {runs} times natively, {AT_ONCE} at a time on all
cores. *P(hit)*: the share of runs in which every breakpoint of the patch was hit. The library reports a stall after one
second without progress; the time to error includes that second, and the load of the machine.

The setting differs from the paper's: the patches wait up to 5 s for a partner instead of 100 ms, which costs nothing
where the partner comes, and some have further breakpoints that bring the threads to the first one. The paper gives the
number of its races in cache4j, hedc, jigsaw and raytracer, not their places; ours are the unprotected pairs of the
kernel, in either order. Where the paper names no error, only the hit is measured.

*Overhead*: a run with the breakpoints of the patch over one without, medians of {SHORT_ROUNDS} runs each in turns;
none where the run ends in a stall. These runs take milliseconds, and a meeting without a guard takes five; for runs
of a second see *cost when on*."""


def conflicts_intro(runs, failed_without):
    return f"""`heddle breakpoints --conflicts` on the kernel `log4j`, the table of section 5 of the paper: {runs}
native runs of each order; a thread waits at most 10 s for the other. Without a breakpoint, {failed_without} % of the
runs fail. Lines of the paper's AsyncAppender, and of the kernel."""


def breakpoints(_build, _rounds, runs=RUNS):
    rows = sorted({row[-1] for row in TABLE_1 + TABLE_2})
    with tempfile.TemporaryDirectory() as scratch:
        ours = {row: Measured(row, Build(row, scratch), runs) for row in rows}
    return tables_text(ours, runs)


def tables_text(ours, runs):
    first = [[*row[:6], row[6], *ours[row[6]].cells(), ours[row[6]].overhead()] for row in TABLE_1]
    second = [[*row[:5], *ours[row[4]].cells(), ours[row[4]].overhead()] for row in TABLE_2]
    return "\n\n".join([
        "## The tables of the paper", intro(runs),
        table(["benchmark", "breakpoint", "error", "paper: prob.", "paper: overhead %", "paper: remark", "kernel",
               "breakpoints", "P(hit)", "P(failure)", "mean time to error", "overhead"], first),
        table(["program", "error", "paper: time to error, s", "paper: breakpoints", "kernel", "breakpoints", "P(hit)",
               "P(failure)", "mean time to error", "overhead"], second)])


# The table of section 5: append, setBufferSize, close and run are lines 100, 236, 277 and 309 of the paper, and these
# of the kernel.
LOG4J_LINES = {100: 90, 236: 102, 277: 107, 309: 117}
LOG4J_RUNS = 20
# Order: paper's % of failed runs, % of runs that hit.
LOG4J_PAPER = {(236, 309): (100, 100), (309, 236): (0, 100), (100, 309): (0, 100), (309, 100): (0, 100),
               (100, 236): (0, 100),
               (236, 100): (0, 100), (277, 309): (100, 0), (309, 277): (100, 0)}


def log4j_rows(build, runs):
    """(report, {order in the paper's lines: row})"""
    names = {f"kernel.cpp:{ours}": theirs for theirs, ours in LOG4J_LINES.items()}
    report, _ = run_json([str(pathlib.Path(build) / "bin/heddle"), "breakpoints", "--conflicts", "--json", "--quiet",
                          "--runs",
                          str(runs), "--pause", "10s", "--lines", ",".join(map(str, LOG4J_LINES.values())), "--",
                          str(pathlib.Path(build) / "kernels/log4j/kernel"), "3", "1", "0", "1"])
    rows = {}
    for row in report["conflicts"]:
        if row["kind"] == "lock":
            rows[tuple(names[place] for place in row["order"].split(" -> "))] = row
    return report, rows


def conflicts(build, _rounds, runs=LOG4J_RUNS):
    report, ours = log4j_rows(build, runs)
    rows = [[f"{first} -> {second}", f"{LOG4J_LINES[first]} -> {LOG4J_LINES[second]}", *paper,
             *((ours[first, second][key] for key in ("failed", "hit", "verdict"))
               if (first, second) in ours else ("", "", ""))]
            for (first, second), paper in LOG4J_PAPER.items()]
    return "\n\n".join([
        "## The conflicts of log4j",
        conflicts_intro(runs, report["failed_without"]),
        table(["order", "kernel.cpp", "paper: failed %", "paper: hit %", "failed %", "hit %", "verdict"], rows)])


SECTIONS = {"breakpoints": breakpoints, "conflicts": conflicts}
BARS = {"breakpoints": [Bar("probability that every breakpoint is hit, at least", ">= 0.99", smallest("P(hit)"))]}
