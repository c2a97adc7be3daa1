"""From core to clip: Tables 3, 4 and 6 of Weeratunge, Zhang and Jagannathan on kernels that crash natively under stress, in
their production build."""
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

from .measure import table

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STRESS_SECONDS = 600
CHESS_SECONDS = 120
SEARCH_SECONDS = 300

# The paper's name, its rows (core size, vars/diffs, shared/CSV, index length; tries by chess, dep, temporal), our kernel
# and the arguments that make its crash come late.
BUGS = [
    ("apache-1", "108 MB", "23273/38", "2600/5", 49, "1028", 644, 832, "Apache-21285", "3 2000"),
    ("apache-2", "99 MB", "2975/30", "123/7", 13, "63", 27, 34, "Apache-45605", "2 2000"),
    ("mysql-1", "48 MB", "6686/64", "1665/30", 27, "> 760", 4, 4, "MySQL-21587", "2 400 4000"),
    ("mysql-2", "55 MB", "8310/359", "2171/60", 50, "> 421", 5, 5, "MySQL-12228", "2 1000 1000"),
    ("mysql-3", "49 MB", "2294/118", "840/11", 51, "> 712", 7, 7, "MySQL-12212", "2 400 400"),
    ("mysql-4", "45 MB", "4150/86", "1877/71", 35, "> 619", 6, 6, "MySQL-12848", "2 1000 1000"),
    ("mysql-5", "158 MB", "17289/701", "728/67", 84, "> 562", 6, 6, "MySQL-42419", "1 1000"),
]


def build_both(build, kernel, folder):
    programs = {}
    for name, setting in (("production", {"HEDDLE_BUILD": "production"}), ("branches", {"HEDDLE_HOOKS": "branches"})):
        programs[name] = folder / f"{kernel}.{name}"
        subprocess.run([build / "bin/heddle-c++", "-std=c++20", "-O2", "-UNDEBUG", ROOT / "kernels" / kernel / "kernel.cpp",
                        "-o", programs[name], "-pthread"], check=True, env={**os.environ, **setting})
    return programs


def crash_natively(build, program, arguments, folder):
    """(core, runs, seconds); the kernel's own core where it writes one here, else the crash handler's."""
    kernel_writes = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip() == "core"
    environment = dict(os.environ)
    core = folder / "core"
    if not kernel_writes:
        environment |= {"LD_PRELOAD": str(build / "lib/heddle/libheddle_crash.so"), "HEDDLE_CRASH_CORE": str(core)}
    begin = time.monotonic()
    for runs in range(1, 1_000_000):
        try:
            subprocess.run([program, *arguments.split()], cwd=folder, env=environment, timeout=60,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)))
        except subprocess.TimeoutExpired:
            pass
        seconds = time.monotonic() - begin
        if core.exists():
            return core, runs, seconds
        if seconds > STRESS_SECONDS:
            return None, runs, seconds


def analyse(build, core, programs, arguments, folder, search, seconds):
    done = subprocess.run([build / "bin/heddle", "core", "--json", "--quiet", core, "--program", programs["production"],
                           "--out", folder / search, "--search", search, "--time", f"{seconds}s", "--timeout", "600s", "--",
                           programs["branches"], *arguments.split()], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else {"error": done.stderr.strip()}


def tries_cell(report):
    if "error" in report:
        return report["error"][:60]
    return f"{'' if report['clip'] else '> '}{report['tries']} ({report['seconds']['search']:.1f} s)"


def core_tables(build, rounds):
    dumps, tries, cost = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        for (name, size, variables, shared, length, chess, dep, temporal, kernel, arguments) in BUGS:
            folder = pathlib.Path(scratch) / kernel
            folder.mkdir()
            programs = build_both(build, kernel, folder)
            core, runs, stress = crash_natively(build, programs["production"], arguments, folder)
            if core is None:
                dumps.append((name, f"{kernel} {arguments}", f"none in {runs} runs, {stress:.0f} s", *[""] * 7))
                continue
            reports = {search: analyse(build, core, programs, arguments, folder, search, seconds) for search, seconds in
                       (("dependence", SEARCH_SECONDS), ("temporal", SEARCH_SECONDS), ("chess", CHESS_SECONDS))}
            report = reports["dependence"]
            if "error" in report:
                dumps.append((name, f"{kernel} {arguments}", report["error"], *[""] * 7))
                continue
            dumps.append((name, f"{kernel} {arguments}", f"{runs} runs, {stress:.0f} s",
                          f"{size}; {report['core']['bytes'] >> 20} / {report['aligned']['bytes'] >> 20} MB" if report["aligned"] else size,
                          variables, f"{report['variables_compared']}/{report['differences']}", shared,
                          f"{report['shared']}/{len(report['critical'])}", length,
                          f"{report['index_length']['expanded']} ({report['index_length']['entries']})"))
            replayed = ""
            if report["clip"]:
                done = subprocess.run([build / "bin/heddle", "replay", "--json", "--times", "100", report["clip"]],
                                      capture_output=True, text=True)
                replayed = f"{json.loads(done.stdout)['reproduced_runs']}/100"
            tries.append((name, report["aligned"]["kind"] if report["aligned"] else "", report["candidates"], chess,
                          tries_cell(reports["chess"]), dep, tries_cell(report), temporal, tries_cell(reports["temporal"]),
                          report["found"]["match"] if report["found"] else "", replayed))
            seconds = report["seconds"]
            cost.append((name, f"{seconds['read']:.3f}", f"{seconds['compare']:.3f}", f"{seconds['rank']:.3f}",
                         f"{seconds['rerun']:.2f}"))
    return "\n\n".join([
        "## From core to clip (multicore dumps)",
        "Kernels in their production build, run natively until they crash; the core is analysed with the build that tells "
        "its blocks. The paper's figures stand before ours. Tries are executions; `>`: not found within the time "
        f"({CHESS_SECONDS} s for plain CHESS, {SEARCH_SECONDS} s for the others).",
        "Table 3: core dump analysis",
        table(["bug", "kernel", "stress until the core", "size; ours F / P", "vars/diffs", "ours", "shared/CSV", "ours",
               "len(index)", "ours (loops counted once)"], dumps),
        "Table 4: schedules tried",
        table(["bug", "aligned", "candidates", "chess", "ours", "+dep", "ours", "+temporal", "ours", "match", "replayed"],
              tries),
        "Table 6: other cost in seconds (the paper: parsing 7-728, diff 0.003-0.2, slicing 30-46)",
        table(["bug", "parsing", "diff", "ranking and slicing", "passing run"], cost),
    ])


SECTIONS = {"coredump": core_tables}
