"""From core to clip: Tables 1, 3, 4, 5 and 6 of Weeratunge, Zhang and Jagannathan on programs that crash natively under
stress, in their production build."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from .measure import table
from .packages import fetch, quietly
from .production import make_text

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STRESS_SECONDS = 600
DELAYS_SECONDS = 120
SEARCH_SECONDS = int(os.environ.get("HEDDLE_BENCH_SEARCH_SECONDS", 30))
REPLAYS = 100

# The paper's name, its rows (core size, vars/diffs, shared/CSV, index length; tries by chess, +dep, +temporal, by
# instruction count), our program and its arguments: generated input first, then that of the bug report.
BUGS = [
    ("apache-1", "108 MB", "23273/38", "2600/5", 49, "1028", 644, 832, "> 1329", "bench/coredump/Apache-21285",
     "3 400 20"),
    ("apache-2", "99 MB", "2975/30", "123/7", 13, "63", 27, 34, "54", "bench/coredump/Apache-45605", "1 1000 300"),
    ("mysql-1", "48 MB", "6686/64", "1665/30", 27, "> 760", 4, 4, "> 50", "bench/coredump/MySQL-21587",
     "1 1000 20 100000"),
    ("mysql-2", "55 MB", "8310/359", "2171/60", 50, "> 421", 5, 5, "36", "bench/coredump/MySQL-12228", "1 1000 20 500"),
    ("mysql-3", "49 MB", "2294/118", "840/11", 51, "> 712", 7, 7, "> 30", "bench/coredump/MySQL-12212", "1 1000 60 60"),
    ("mysql-4", "45 MB", "4150/86", "1877/71", 35, "> 619", 6, 6, "> 28", "bench/coredump/MySQL-12848", "1 500 100 20"),
    ("mysql-5", "158 MB", "17289/701", "728/67", 84, "> 562", 6, 6, "> 33", "bench/coredump/MySQL-42419", "1 500 20"),
]
# More of the corpus, which the paper does not have.
OTHERS = [
    ("kernels/MySQL-3596", "2 2000 2000"),
    ("kernels/Moz-macNetIO", "2 2000"),
    ("kernels/Moz-jsInterp", "2 2000"),
    ("kernels/CircularList", "2 1000"),
    ("kernels/Moz-jsStr", "2 2000 2000"),
    ("kernels/StringBuf", "2 2000"),
]


def source_of(program):
    path = ROOT / program
    return path / "kernel.cpp" if path.is_dir() else path.with_suffix(".cpp")


BUILDS = {"production": {"HEDDLE_BUILD": "production", "HEDDLE_COUNT_POINTS": "1"},
          "branches": {"HEDDLE_HOOKS": "branches"}}


def build_all(build, program, folder):
    programs = {}
    for name, setting in BUILDS.items():
        programs[name] = folder / f"{source_of(program).stem}.{name}"
        subprocess.run([build / "bin/heddle-c++", "-std=c++20", "-O2", "-UNDEBUG", source_of(program), "-o",
                        programs[name],
                        "-pthread"], check=True, env={**os.environ, **setting})
    return programs


def crash_natively(build, program, arguments, folder, seconds_max=STRESS_SECONDS, preload=()):
    """(core, runs, seconds); the kernel's own core where it writes one here, else the crash handler's."""
    kernel_writes = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip() == "core"
    environment = dict(os.environ)
    core = folder / "core"
    libraries = list(preload)
    if not kernel_writes:
        libraries.append(build / "lib/heddle/libheddle_crash.so")
        environment["HEDDLE_CRASH_CORE"] = str(core)
    environment["LD_PRELOAD"] = " ".join(map(str, libraries))
    begin = time.monotonic()
    for runs in range(1, 1_000_000):
        try:
            subprocess.run([program, *arguments.split()], cwd=folder, env=environment, timeout=20,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)))
        except subprocess.TimeoutExpired:
            pass
        seconds = time.monotonic() - begin
        if core.exists():
            return core, runs, seconds
        if seconds > seconds_max:
            return None, runs, seconds


def crash_with_delays(build, program, arguments, folder):
    """As crash_natively, of a program in which threads now and then sleep before a mutex."""
    library = folder / "lock_delays.so"
    quietly(["cc", "-O2", "-shared", "-fPIC", ROOT / "bench/coredump/lock_delays.c", "-o", library, "-ldl"], folder)
    return crash_natively(build, program, arguments, folder, DELAYS_SECONDS, [library])


def analyse(build, core, programs, arguments, folder, *options):
    done = subprocess.run([build / "bin/heddle", "core", "--json", "--quiet", core, "--program", programs["production"],
                           "--out", folder / ("-".join(options).strip("-") or "default"), *options, "--time",
                           f"{SEARCH_SECONDS}s", "--timeout", "600s", "--", programs["branches"], *arguments.split()],
                          capture_output=True, text=True)
    report = json.loads(done.stdout) if done.stdout else {"error": done.stderr.strip()}
    if "error" in report:
        report["error"] = report["error"].replace(f"{folder}/", "")
    return report


# All start from passing runs, as the paper's do, except the last: the default.
FROM_PASSING = "--from-passing-run"
SEARCHES = {
    "dependence": ("--search", "dependence", FROM_PASSING),
    "temporal": ("--search", "temporal", FROM_PASSING),
    "chess": ("--search", "chess", FROM_PASSING),
    "count": ("--search", "temporal", "--align", "count", FROM_PASSING),
    "default": (),
}


def tries_cell(report):
    if "error" in report:
        return report["error"].removeprefix("heddle: ").split(";")[0]
    return f"{'' if report['clip'] else '> '}{report['tries']} ({report['seconds']['search']:.1f} s)"


def default_cell(report):
    """Of the search with all defaults: whether it needs any."""
    if "error" not in report and report["clip"] and report["aligned"] is None:
        return "at once"
    return tries_cell(report)


def replays_of(build, report):
    if "error" in report or not report["clip"]:
        return ""
    # What the program itself writes, to stderr here, need not be text.
    done = subprocess.run([build / "bin/heddle", "replay", "--json", "--times", str(REPLAYS), report["clip"]],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return f"{json.loads(done.stdout)['reproduced_runs']}/{REPLAYS}"


def pair(report, first, second):
    return "" if "error" in report else f"{report[first]}/{second(report)}"


def critical(report):
    return len(report["critical"])


def crashed(build, program, arguments, folder):
    """(programs, core or None, how it came about). Kept where HEDDLE_BENCH_CORES says, so that stress, which needs all
    cores of the machine, can be done apart from the analysis."""
    stress = folder / "stress.txt"
    if stress.exists():
        programs = {name: folder / f"{source_of(program).stem}.{name}" for name in BUILDS}
        core = folder / "core"
        return programs, core if core.exists() else None, stress.read_text()
    folder.mkdir(parents=True, exist_ok=True)
    programs = build_all(build, program, folder)
    core, runs, seconds = crash_natively(build, programs["production"], arguments, folder)
    stress.write_text(f"{'' if core else 'none in '}{runs} runs, {seconds:.0f} s")
    if core is None:
        core, runs, seconds = crash_with_delays(build, programs["production"], arguments, folder)
        stress.write_text(f"{stress.read_text()}; with delays {'' if core else 'none in '}{runs} runs, {seconds:.0f} s")
    return programs, core, stress.read_text()


def measured(build, program, arguments, scratch):
    """One program from stress to clip: (runs and seconds of stress, reports by search), or no reports without a
    core."""
    print(f"bench: {program}", file=sys.stderr, flush=True)
    folder = pathlib.Path(os.environ.get("HEDDLE_BENCH_CORES", scratch)) / pathlib.Path(program).name
    programs, core, stress = crashed(build, program, arguments, folder)
    if core is None:
        return stress, {}
    return stress, {name: analyse(build, core, programs, arguments, folder, *options) for name,
                    options in SEARCHES.items()}


class Rows:
    """What the tables say of each program."""

    def __init__(self):
        self.dumps, self.tries, self.counted, self.cost, self.ratios = [], [], [], [], []

    def add(self, build, name, paper, program, arguments, stress, reports):
        (size, variables, shared, length, chess, dep, temporal, counted) = paper
        label = f"{pathlib.Path(program).name} {arguments}"
        report = reports.get("dependence", {"error": "no core"})
        if "error" in report:
            self.dumps.append((name, label, stress, report["error"], *[""] * 7))
            return
        aligned = report["aligned"]
        self.dumps.append((name, label, stress, size,
                           f"{report['core']['bytes'] / 2**20:.1f} / {aligned['bytes'] / 2**20:.1f} MB"
                           if aligned else "",
                           variables, f"{report['variables_compared']}/{report['differences']}", shared,
                           f"{report['shared']}/{critical(report)}", length,
                           f"{report['index_length']['expanded']} ({report['index_length']['entries']})"))
        found = report["found"]
        self.tries.append((name, aligned["kind"] if aligned else "", report["candidates"], chess,
                           tries_cell(reports["chess"]), dep, tries_cell(report), temporal,
                           tries_cell(reports["temporal"]),
                           default_cell(reports["default"]),
                           f"{found['match']}, index {'equal' if found['index_matches'] else 'another'}"
                           if found else "",
                           replays_of(build, report)))
        by_count = reports["count"]
        self.counted.append((name, by_count.get("points", ""),
                             pair(by_count, "variables_compared", lambda of: of["differences"]),
                             pair(by_count, "shared", critical), counted, tries_cell(by_count)))
        seconds = report["seconds"]
        self.cost.append((name, f"{seconds['read']:.3f}", f"{seconds['compare']:.3f}", f"{seconds['rank']:.3f}",
                          f"{seconds['rerun']:.2f}"))
        if report["clip"] and report["tries"] and "error" not in reports["chess"]:
            self.ratios.append((name, reports["chess"]["tries"] / report["tries"], bool(reports["chess"]["clip"])))



INTRO = f"""Programs in their production build run natively until they crash and leave a kernel core. The core is
analysed with the build that records its blocks, with the same arguments. The paper's figures stand before ours. The
first seven programs run generated requests (`bench/coredump/`), as in the paper, so that the crash comes late; the
kernels below them are those of the corpus. Tries are executions; `>`: not found within {SEARCH_SECONDS} s. All searches
begin with a passing run (`--from-passing-run`). *By default*, `heddle core` first runs the program with every thread
stopped at its position in the core; if that fails as the core says, no search is needed (*at once*).

Stress is given {STRESS_SECONDS} s. If it produces no core, the program runs again with threads that sleep 20 ms
before one mutex operation in two hundred (`bench/coredump/lock_delays.c`), and the table says so. A file of
breakpoints cannot replace them, because it needs hooks, which the production build lacks.
"""
PACKAGE_INTRO = """pbzip2 with two injected lines (`bench/coredump/pbzip2.patch`: an unlocked pointer to the block
stored last, which another consumer removes), built from the source package and crashed natively.
"""


def speed_intro(rounds):
    return f"""`bench/coredump/large_state.cpp`: two cores, which differ in nine variables, read and compared as by
`heddle core` (`bench/coredump/compare_cores.cpp`; the least of {rounds} runs), and gdb reading one of the two for 20
s in the same run (`bench/coredump/gdb_walk.py`). Seconds are processor time, gdb's too; elapsed seconds depend on
the load of the machine."""


def core_tables(build, rounds):
    rows = Rows()
    with tempfile.TemporaryDirectory() as scratch:
        for name, *paper, program, arguments in BUGS:
            rows.add(build, name, paper, program, arguments, *measured(build, program, arguments, scratch))
        for program, arguments in OTHERS:
            rows.add(build, pathlib.Path(program).name, [""] * 8, program, arguments,
                     *measured(build, program, arguments, scratch))
    ratios = ", ".join(f"{name} {'' if ended else '> '}{ratio:.0f}" for name, ratio, ended in rows.ratios)
    return "\n\n".join([
        "## From core to clip", INTRO.strip(),
        "Table 3: core dump analysis (variables are counted once, not once per path)",
        table(["bug", "program", "stress until the core", "size", "ours F / P", "vars/diffs", "ours", "shared/CSV",
               "ours", "len(index)", "ours (loops counted once)"], rows.dumps),
        "Table 4: schedules tried (the paper's columns as its text has them)",
        table(["bug", "aligned", "candidates", "chess", "ours", "+dep", "ours", "+temporal", "ours", "by default",
               "match", "replayed"],
              rows.tries),
        f"Tries of plain CHESS, times those of +dep: {ratios}.",
        "Table 5: aligned by the number of points that the failing thread has reached, instead of by the index "
        "(+temporal)",
        table(["bug", "points", "vars/diffs", "shared/CSV", "the paper's tries", "ours"], rows.counted),
        "Table 6: other cost in seconds (the paper: parsing 7-728, diff 0.003-0.2, slicing 30-46)",
        table(["bug", "parsing and index", "diff", "ranking and slicing", "passing run"], rows.cost),
    ])


PBZIP2_FLAGS = ["-O2", "-std=gnu++98", "-pthread", "-D_POSIX_PTHREAD_SEMANTICS", "-DUSE_STACKSIZE_CUSTOMIZATION",
                "-D_LARGEFILE64_SOURCE=1", "-D_FILE_OFFSET_BITS=64"]


def package_table(build, rounds):
    """A program of another project: Debian's pbzip2 with the two lines of pbzip2.patch."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        source = fetch("pbzip2", folder)
        quietly(["patch", "-p1", "-i", ROOT / "bench/coredump/pbzip2.patch"], source)
        programs = {}
        for name, setting in (("production", {"HEDDLE_BUILD": "production"}),
                              ("branches", {"HEDDLE_HOOKS": "branches"})):
            programs[name] = folder / f"pbzip2.{name}"
            quietly([build / "bin/heddle-c++", *PBZIP2_FLAGS, "pbzip2.cpp", "BZ2StreamScanner.cpp", "ErrorContext.cpp",
                     "-o", programs[name], "-lbz2"], source, **setting)
        make_text(folder / "input.txt", 40_000)
        arguments = f"-p4 -b1 -k -c -q {folder / 'input.txt'}"
        core, runs, seconds = crash_natively(build, programs["production"], arguments, folder)
        report = analyse(build, core, programs, arguments, folder, "--search",
                         "dependence") if core else {"error": "no core"}
        if "error" in report:
            row = (f"{runs} runs, {seconds:.0f} s", report["error"], *[""] * 5)
        else:
            row = (f"{runs} runs, {seconds:.0f} s",
                   f"{report['core']['bytes'] / 2**20:.0f} MB, {report['core']['threads']} threads",
                   report["outcome"]["signature"], f"{report['index_length']['expanded']}", report["tries"],
                   f"{report['found']['match']}, index {'equal' if report['found']['index_matches'] else 'another'}"
                   if report["found"] else "none", replays_of(build, report))
    return "\n\n".join([
        "## A Debian package",
        PACKAGE_INTRO.strip(),
        table(["stress until the core", "core", "crash", "len(index)", "tries", "match", "replayed"], [row]),
    ])


def crash_once(build, program, arguments, folder, name):
    core, _, _ = crash_natively(build, program, arguments, folder)
    return core.rename(folder / name)


def gdb_rate(program, core):
    """Variables that gdb reads in a second."""
    done = subprocess.run(["gdb", "-nx", "-batch", "-x", ROOT / "bench/coredump/gdb_walk.py", program, core],
                          capture_output=True, text=True)
    words = next(line for line in done.stdout.splitlines() if line.startswith("read ")).split()
    return int(words[1]) / float(words[3])


def speed_table(build, rounds):
    """Two cores of a quarter of a gigabyte, read and compared, beside gdb."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        program = folder / "large_state"
        quietly([build / "bin/heddle-c++", "-std=c++20", "-O2", ROOT / "bench/coredump/large_state.cpp", "-o", program],
                folder, HEDDLE_BUILD="production")
        cores = [crash_once(build, program, arguments, folder, name)
                 for name, arguments in (("same.core", "1200000 same"), ("changed.core", "1200000 changed"))]
        reports = []
        for _ in range(max(rounds, 3)):
            done = subprocess.run([build / "bench/compare_cores", program, *reversed(cores)], capture_output=True,
                                  text=True,
                                  check=True)
            reports.append(json.loads(done.stdout))
        best = min(reports, key=lambda report: report["processor_seconds"])
        ours = best["variables"] / best["processor_seconds"]
        gdb = gdb_rate(program, cores[0])
        row = (" + ".join(f"{core.stat().st_size / 2**20:.0f} MB" for core in cores),
               f"{best['variables'] / 1e6:.1f} million",
               f"{best['differences']} of 9", f"{best['read_processor_seconds']:.2f}",
               f"{best['processor_seconds'] - best['read_processor_seconds']:.2f}",
               f"{min(report['read_seconds'] + report['compare_seconds'] for report in reports):.2f}",
               f"{best['rss_bytes'] / 2**20:.0f} MB", f"{ours / 1e6:.1f} million", f"{gdb:.0f}", f"{ours / gdb:.0f}x")
    return "\n\n".join([
        "## Speed of parsing and comparing",
        speed_intro(max(rounds, 3)),
        table(["cores", "variables", "differences found", "parsing both, s", "diff, s", "together, elapsed s", "memory",
               "variables/s", "gdb's", "times gdb"], [row]),
    ])


SECTIONS = {"coredump": core_tables, "coredump_package": package_table, "coredump_speed": speed_table}
