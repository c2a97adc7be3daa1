"""Shrinking against Tables 2 to 5 of Huang and Zhang (LEAN): the kernels of the paper's programs at the paper's sizes,
with marked iterations and calls."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

from .bars import Bar, count, largest, number
from .measure import Cost, run_json, table

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEEDS, SEEDS_MAX = 40, 100
REPLAYS, REPLAYS_OF_LONG = 20, 3
# Arguments with which our kernels have nothing to do: what a replay takes then is starting the program.
IDLE = {"BuggyPro": "0 0 1", "Tsp": "0 1", "ArrayList": "1 0 1", "LinkedList": "1 0 1", "OpenJMS": "0 0 1",
        "Tomcat-37458": "0 0 1",
        "Jigsaw-NPE": "0 0 1 1 1", "Derby-2861": "0 0 1"}

# Our kernel, its arguments, the mean length of a turn under which runs fail late, and how long the failing run is to
# be.
SHAPES = {
    "BuggyPro": ("BuggyPro", "33 60 16", 1000, 100_000),
    "Tsp": ("Tsp", "4 8", 500, 100_000),
    "ArrayList": ("ArrayList", "450 4 12", 3000, 100_000),
    "LinkedList": ("LinkedList", "450 10 10", 40_000, 100_000),
    "LinkedList, longer": ("LinkedList", "450 10 10", 400_000, 300_000),
    "OpenJMS": ("OpenJMS", "20 10 200", 500, 100_000),
    "Tomcat": ("Tomcat-37458", "10 1000 200", 5000, 100_000),
    "Jigsaw": ("Jigsaw-NPE", "10 10 10 2 2000", 1000, 100_000),
    "Derby": ("Derby-2861", "10 10 400", 5000, 100_000),
}
# The same shapes with more work, as long as the paper's traces: 10^6 to 10^7 events.
LARGE = {
    "BuggyPro": ("BuggyPro", "33 6000 1600", 20_000, 10_000_000),
    "BuggyPro, a second": ("BuggyPro", "33 54000 16000", 20_000, 150_000_000),
    "Derby": ("Derby-2861", "10 10 4000", 50_000, 1_000_000),
    "Jigsaw": ("Jigsaw-NPE", "10 10 10 2 40000", 20_000, 1_000_000),
    "OpenJMS": ("OpenJMS", "20 10 20000", 50_000, 1_000_000),
}
HOOKS = "iterations,calls,branches"
# Where an input may need more preemptions than the kernel does with its own: the same with no more threads than are
# needed.
FEWEST_THREADS = {"Tsp": "2 8"}
SEARCH_TIME = "300s"
# Table 2: trace, threads, switches and replay time removed, in per cent.
TABLE_2 = {
    "BuggyPro": ("460K", 34, 1003, "97.1", "88.2", "97.2", "97"),
    "Tsp": ("44.1M", 5, 9190, "49.9", "40.0", "50.0", "58.9"),
    "ArrayList": ("1.72M", 451, 2381, "99.6", "99.3", "99.6", "99.7"),
    "LinkedList": ("2.20M", 451, 2564, "99.7", "99.3", "99.6", "99.7"),
    "OpenJMS": ("128.9M", 36, 7287, "98.5", "80.5", "94.3", "97.3"),
    "Tomcat": ("38.2M", 13, 3543, "96.7", "69.2", "96.9", "98.4"),
    "Jigsaw": ("20.1M", 11, 2322, "98.0", "72.7", "97.2", "98.4"),
    "Derby": ("94.1M", 11, 6439, "97.8", "72.7", "92.5", "97.6"),
}
# Table 3: threads, slicing, iterations; Table 4: rounds and seconds of threads, seconds of slicing, rounds and seconds
# of iterations, repetitive blocks found and real; Table 5: ER.
TABLE_3 = {"BuggyPro": ("96.9", "0.2", "-"), "Tsp": ("49.2", "0.7", "-"), "ArrayList": ("99.6", "-", "-"),
           "LinkedList": ("99.7", "-", "-"), "OpenJMS": ("78.2", "5.7", "15.5"), "Tomcat": ("61.9", "11.0", "24.0"),
           "Jigsaw": ("79.4", "4.5", "13.4"), "Derby": ("79.8", "6.6", "12.3")}
TABLE_4 = {"BuggyPro": (6, "8", "0.155", "-", "-", "4 / 0"), "Tsp": (2, "199", "12", "-", "-", "3 / 0"),
           "ArrayList": (18, "55", "2", "-", "-", "-"), "LinkedList": (18, "58", "2", "-", "-", "-"),
           "OpenJMS": (13, "4,265", "330", 11, "152", "1 / 1"), "Tomcat": (5, "1,082", "308", 12, "55", "1 / 1"),
           "Jigsaw": (4, "630", "210", 10, "37", "1 / 1"), "Derby": (4, "1,841", "553", 10, "200", "1 / 1")}
TABLE_5 = {"BuggyPro": "2.1", "Tsp": "0.0", "ArrayList": "2.9", "LinkedList": "3.0", "OpenJMS": "10.2", "Tomcat": "6.9",
           "Jigsaw": "4.6", "Derby": "2.5"}

SHAPES_INTRO = f"""Our kernels of the paper's programs, with the paper's numbers of threads and iterations. Exceptions:
LinkedList has 10 rounds of 10 elements. Tomcat has 1,000 requests instead of 10, each for a class of its own of 200
bytes, because with 10 requests every failing run ends after 6,000 events, whereas the paper's has 38 million. Tsp has 8
cities, and the first piece of work has the shortest tour; as this input may need more preemptions than the kernel's
own, all schedules with fewer preemptions than are left are run, with as many threads as the bug needs, switching at
synchronisation and at data observed to be shared.

The original is the first of {SEEDS} random schedules that fails with 100,000 events or more (LinkedList, longer: the
same input, 300,000 events), or else the longest of them that fails; where none fails, the first of {SEEDS_MAX} that
does or, after them, the first failure of `heddle explore`, which switches at shared data only. The paper's figures
are in parentheses; reductions are in per cent. Events, threads, switches and rounds are counts and equal in every
run; seconds are of a loaded machine. Replay time is processor time, the mean of {REPLAYS} replays: first of the
whole process, then, after the stroke, without the time of the same program when it has nothing to do, which is most
of a short run.
"""
TABLE_3_INTRO = """Slicing considers what remains after removing threads, and skips iterations outside of the slice.
The last column counts the events outside of it, skipped or not. Removing preemptions may lengthen a run, because
threads that were preempted continue.
"""
TABLE_4_INTRO = """Steps of all runs: validations, and the recordings that guide them. The one run that shows that
the whole program passes in a sequential order has a column of its own: a program that fails early in one order may
take many times as long to pass in another.
"""
LARGE_INTRO = """The same kernels with more work for each thread, so that the original has 10^6 events or more. The
bars are the paper's share of the trace (in parentheses), 8 times the original's steps and, where one replay takes a
second or more, 8 times its time.
"""


def compile_kernel(build, kernel, hooks, scratch):
    program = scratch / kernel
    subprocess.run([build / "bin/heddle-c++", "-std=c++20", "-O1", "-g", "-UNDEBUG",
                    ROOT / "kernels" / kernel / "kernel.cpp",
                    "-o", program, "-pthread"], check=True, env={**os.environ, "HEDDLE_HOOKS": hooks})
    return program


def explored_clip(build, program, arguments, scratch):
    """Where random schedules do not fail: the first failure of a search."""
    report, code = run_json([build / "bin/heddle", "explore", "--json", "--quiet", "--seed", "1", "--runs", "2000",
                             "--time", "180s", "--out", scratch / "explored", "--", program, *arguments.split()])
    return pathlib.Path(report["failures"][0]["clip"]) if code == 1 else None


def failing_clip(build, program, arguments, quantum, events_wanted, scratch):
    """The first failing run that is long enough; if none is, the longest."""
    best, longest = scratch / "best.clip", 0
    for seed in range(1, SEEDS_MAX + 1):
        clip = scratch / "try.clip"
        report, code = run_json([build / "bin/heddle", "run", "--json", "--quiet", "--strategy", "random", "--quantum",
                                 str(quantum), "--seed", str(seed), "--clip", clip, "--", program, *arguments.split()])
        if code == 1 and report["events"] > longest:
            longest = report["events"]
            clip.rename(best)
        if longest >= events_wanted or (longest and seed >= SEEDS):
            break
    return best if longest else explored_clip(build, program, arguments, scratch)


def less(before, after):
    return f"{100 * (1 - after / before):.1f}" if before else "-"


def replay_cost(build, clip, times):
    """Seconds of processor time of one replay, without what heddle takes to begin."""
    command = [build / "bin/heddle", "replay", "--json", "--quiet", "--times"]
    return (Cost([*command, times + 1, clip]).processor - Cost([*command, 1, clip]).processor) / times


def shrink_shape(build, shape, scratch, replays):
    """The report of shrinking, with the processor time of shrinking and of single replays: of the original, of what is
    left, and of the same program when it has nothing to do. None: there is no failing run, or it could not be
    shrunk."""
    kernel, arguments, quantum, events = shape
    program = compile_kernel(build, kernel, HOOKS, scratch)
    clip, small, idle = failing_clip(build, program, arguments, quantum, events,
                                     scratch), scratch / "small.clip", scratch / "idle.clip"
    if clip is None:
        return None
    shrunk = Cost([build / "bin/heddle", "shrink", "--json", "--quiet", clip, "-o", small])
    report, seconds = shrunk.said, shrunk.processor
    run_json([build / "bin/heddle", "run", "--json", "--quiet", "--clip", idle, "--", program, *IDLE[kernel].split()])
    report["processor"] = {"shrinking": seconds, **{name: replay_cost(build, path, replays)
                                                    for name, path in (("before", clip), ("after", small),
                                                                       ("idle", idle))}}
    return report


def replay_time_removed(report):
    """In per cent: of whole replays, and of what they take beyond starting the program."""
    cost = report["processor"]
    beyond_start = less(cost["before"] - cost["idle"], max(cost["after"] - cost["idle"], 0))
    return f"{less(cost['before'], cost['after'])} / {beyond_start}"


def phase(report, name):
    return next((entry for entry in report["phases"] if entry["name"] == name),
                {"rounds": 0, "events_removed": 0, "seconds": 0})


def validation_steps(report):
    """Of all runs but the one that shows in which order the whole program passes: a program that fails early in one
    order may take many times as long to pass in another."""
    return (report["steps"] - report["steps_in_sequence"]) / report["before"]["events"]


def needed(kernel):
    """Threads and preemptions that the bug is known to need."""
    expected = tomllib.loads((ROOT / "kernels" / kernel / "expect.toml").read_text())
    return expected["threads_min"], expected.get("preemptions", expected["depth"] - 1)


def needed_with_input(build, kernel, left, scratch):
    """Preemptions that the bug needs, as text: where more are left than the kernel needs with its own input, and no
    schedule with fewer fails with this one, the number left."""
    known = needed(kernel)[1]
    if left <= known or kernel not in FEWEST_THREADS:
        return f"{known}"
    report, code = run_json([build / "bin/heddle", "explore", "--json", "--quiet", "--strategy", "preemptions",
                             "--bound", str(left - 1),
                             "--runs", str(10**9), "--time", SEARCH_TIME, "--out", scratch / "searched", "--",
                             scratch / kernel,
                             *FEWEST_THREADS[kernel].split()])
    searched = report["exhaustive"]
    if code == 0 and searched["preemptions_max"] == left - 1:
        return f"{left}: none of {searched['schedules']:,} schedules with fewer fails"
    return f"{known}"


def shrink(build, rounds):
    rows = {number: [] for number in (2, 3, 4, 5)}
    for name in SHAPES:
        paper_name = name.split(",")[0]
        print(f"bench: shrink {name}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            report = shrink_shape(build, SHAPES[name], pathlib.Path(folder), REPLAYS)
            if report is not None:
                preemptions_needed = needed_with_input(build, SHAPES[name][0], report["after"]["preemptions"],
                                                       pathlib.Path(folder))
        paper = TABLE_2[paper_name]
        if report is None:
            rows[2].append([name, "no failing run, or it could not be shrunk", *[""] * 7])
            continue
        before, after = report["before"], report["after"]
        threads_min, _ = needed(SHAPES[name][0])
        rows[2].append([name, f"{before['events']:,}",
                        f"{before['threads']} to {after['threads']} (needs {threads_min})",
                        f"{before['preemptions']:,} to {after['preemptions']} (needs {preemptions_needed})",
                        f"{before['iterations']:,} to {after['iterations']:,}",
                        f"{less(before['events'], after['events'])} ({paper[3]})",
                        f"{less(before['threads'], after['threads'])} ({paper[4]})",
                        f"{less(before['switches'], after['switches'])} ({paper[5]})",
                        f"{replay_time_removed(report)} ({paper[6]})"])
        share = [100 * phase(report, part)["events_removed"] / before["events"]
                 for part in ("threads", "slicing", "iterations", "preemptions")]
        sliced = report.get("slice") or {"events": 0, "relevant": 0}
        rows[3].append([name, f"{share[0]:.1f} ({TABLE_3[paper_name][0]})",
                        f"{share[1]:.1f} ({TABLE_3[paper_name][1]})",
                        f"{share[2]:.1f} ({TABLE_3[paper_name][2]})", f"{share[3]:.1f}",
                        f"{sliced['events'] - sliced['relevant']:,} of {sliced['events']:,}"
                        if sliced["events"] else "not sliced"])
        # Calls and iterations over containers are not repetitive blocks.
        loops = {entry["loop"] for entry in report["disabled_iterations"]
                 if not entry["loop"].startswith(("call ", "each "))}
        paper4 = TABLE_4[paper_name]
        rows[4].append([name, f"{phase(report, 'threads')['rounds']} ({paper4[0]})",
                        f"{phase(report, 'threads')['seconds']:.1f} ({paper4[1]})",
                        f"{phase(report, 'slicing')['seconds']:.1f} ({paper4[2]})",
                        f"{phase(report, 'iterations')['rounds']} ({paper4[3]})",
                        f"{phase(report, 'iterations')['seconds']:.1f} ({paper4[4]})",
                        f"{report['loops']} / {len(loops)} ({paper4[5]})", report["rounds"],
                        f"{validation_steps(report):.1f}", f"{report['steps_in_sequence'] / before['events']:.1f}",
                        f"{report['processor']['shrinking'] / report['processor']['before']:.0f}"])
        dependence = report["dependence"]
        rows[5].append([name, f"{less(dependence['events'], dependence['relevant'])} ({TABLE_5[paper_name]})",
                        f"{less(before['events'], after['events'])} ({paper[3]})"])
    return "\n\n".join([
        "## The shapes of LEAN", SHAPES_INTRO.strip(), "### Table 2",
        table(["program", "events", "threads", "preemptions", "iterations", "trace removed", "threads removed",
               "switches removed", "replay time removed"], rows[2]),
        "### Table 3: how much of the trace each phase removed", TABLE_3_INTRO.strip(),
        table(["program", "threads", "slicing", "iterations", "preemptions (not in the paper)", "outside of the slice"],
              rows[3]),
        "### Table 4: rounds and seconds", TABLE_4_INTRO.strip(),
        table(["program", "threads: rounds", "seconds", "slicing: seconds", "iterations: rounds", "seconds",
               "repetitive blocks: all / real", "rounds in all",
               "steps of all runs, times the original (bar 8)", "the whole program in sequence, times the original",
               "processor time, times one replay"], rows[4]),
        "### Table 5: reduction by dependences alone", table(["program", "ER", "all phases"], rows[5])])


def large(build, rounds):
    """The paper's lengths of traces, where what a run costs is what it executes."""
    rows = []
    for name, shape in LARGE.items():
        print(f"bench: shrink {name}, large", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            report = shrink_shape(build, shape, pathlib.Path(folder), REPLAYS_OF_LONG)
        name = name.split(",")[0]
        title = f"{name} {shape[1]}"
        if report is None:
            rows.append([title, "no failing run, or it could not be shrunk", *[""] * 11])
            continue
        before, after = report["before"], report["after"]
        threads_min, preemptions_min = needed(shape[0])
        rows.append([title, f"{before['events']:,} to {after['events']:,}",
                     f"{before['threads']} to {after['threads']} (needs {threads_min})",
                     f"{before['preemptions']:,} to {after['preemptions']} (needs {preemptions_min})",
                     f"{less(before['events'], after['events'])} ({TABLE_2[name][3]})",
                     f"{validation_steps(report):.1f}", f"{report['steps_in_sequence'] / before['events']:.1f}",
                     f"{before['replay_seconds']:.2f} s", f"{report['seconds']:.1f} s",
                     f"{report['seconds'] / max(before['replay_seconds'], 1e-9):.1f}",
                     f"{report['processor']['before']:.2f} s", f"{report['processor']['shrinking']:.1f} s",
                     f"{report['processor']['shrinking'] / report['processor']['before']:.1f}"])
    return "\n\n".join([
        "## Traces of the paper's length", LARGE_INTRO.strip(),
        table(["program", "events", "threads", "preemptions", "trace removed", "steps of all runs, times the original",
               "the whole program in sequence", "one replay", "shrinking", "times one replay",
               "processor time: one replay", "shrinking", "times one replay"], rows)])


def takes_a_second(row):
    """Also a row that has not been measured: no bar is met without it."""
    return not row["one replay"] or number(row["one replay"]) >= 1


def at_least_the_papers(row):
    """Of a cell "99.8 (97.1)": ours, and the paper's."""
    figures = [float(figure) for figure in re.findall(r"[\d.]+", row["trace removed"])]
    return len(figures) == 2 and figures[0] >= figures[1]


SECTIONS = {"shrink": shrink, "shrink_large": large}
BARS = {
    "shrink": [Bar("steps of all runs, times the original, at most", "<= 8",
                   largest("steps of all runs, times the original (bar 8)"))],
    "shrink_large": [
        Bar("programs with at least the paper's share of the trace removed", "all",
            count("trace removed", at_least_the_papers)),
        Bar("steps of all runs, times the original, at most", "<= 8", largest("steps of all runs, times the original")),
        Bar("time of shrinking, times one replay that takes a second or more, at most", "<= 8",
            largest("times one replay", where=takes_a_second))],
}
