"""What concurrent breakpoints cost in runs of a second: switched on with the default time-outs, and compiled in but
off."""
import os
import statistics
import subprocess
import tempfile

from .bars import Bar, count, largest, number
from .breakpoints import GXX, Build, Run, names_of
from .measure import ONE_CORE, cpu_seconds_of, table

# Arguments under which a run takes a second or more and is not ended by the first hit: kernels that look at their
# result at the end only, or whose breakpoint does no harm.
LONG_ON = [("Apache-LogSz", "2 4000000"), ("Cache4j-atomicity", "2 2000000"), ("Cache4j-race/race3", "1 2 1200000"),
           ("Cache4j-race/race3", "1 2 4000000"), ("Hedc/race2", "1 2 8000000"), ("Moldyn", "2 300 500"),
           ("MonteCarlo", "2 2200000 60"), ("MySQL-169", "2 1200000 20"), ("MySQL-BinLog", "2 1000000 2"),
           ("RayTracer", "2 10000"), ("RayTracer/race2", "2 10000"), ("RayTracer/race3", "2 10000"),
           ("RayTracer/race4", "2 10000")]
ROUNDS_ON = 7
# Arguments under which the bug cannot show.
LONG_OFF = {"Apache-LogSz": "1 1500000", "Cache4j-atomicity": "1 600000", "Moldyn": "1 200 300",
            "MonteCarlo": "1 400000 60",
            "MySQL-3596": "1 12000000 0", "MySQL-BinLog": "1 700000 0", "log4j": "1 100000 0", "pool": "1 5000000"}
ROUNDS_OFF = 15
SHIFTS = (0, 16, 32, 48)  # bytes; functions lie on multiples of 16

ON_INTRO = f"""Kernels with the breakpoints of the tables above, relative to the same program without the patch: elapsed
time of {ROUNDS_ON} runs each in turns, the medians / the shortest (which the load of the machine affects least). The
bar is for the library's default time-out of 100 ms in place of the patch's, where the normal run takes a second. *Hit*:
runs in which every breakpoint was hit. A kernel that its bug ends at the first hit has no whole run to compare with.

Cache4j-race/race3 has two rows: its first meeting follows the cleaning of all objects, which takes less than 100 ms
with 1,200,000 objects and more with 4,000,000. With 4,000,000, each place waits once for the default time-out
without success, and a longer time-out leads to a hit. In RayTracer, threads reach their places after a second of
work each, and so possibly more than 100 ms apart.
"""
OFF_INTRO = f"""The same programs without the patch, and with it and breakpoints off: processor time on one core,
with arguments under which the bug cannot show. Each program is linked {len(SHIFTS)} times, with its code moved by
{SHIFTS[1]} bytes each time, because the position of a loop matters more than its content. All run in turns,
{ROUNDS_OFF} times. *Off*: the median of the ratios of all pairs (same place, same round). The noise: *moved*, the
program without the patch relative to itself at another place, from the fastest place to the slowest; *again*, the
same file, run twice in each round; *compiled out*, with the patch and `HEDDLE_NO_BREAKPOINTS`. The bar is 0 % within
this noise.
"""


def per_cent(ratio):
    return f"{100 * (ratio - 1):+.1f} %"


def costs_on(_build, _rounds):
    with tempfile.TemporaryDirectory() as scratch:
        programs = {row: programs_on(row, scratch) for row in {row for row, _ in LONG_ON}}
        rows = [row_on(row, arguments, programs[row]) for row, arguments in LONG_ON]
    return "\n\n".join([
        "## Cost when on", ON_INTRO.strip(),
        table(["kernel", "arguments", "normal run", "default time-outs", "hit", "the patch's time-outs", "hit"], rows)])


def programs_on(row, scratch):
    build = Build(row, scratch)
    return {"absent": build.compile(build.plain_text, "plain"),
            "default": build.compile(build.default_time_outs_text(), "default"),
            "patch": build.compile(build.patched_text, "patched")}


def row_on(row, arguments, programs):
    runs = {name: [] for name in programs}
    for _ in range(ROUNDS_ON):
        for name, program in programs.items():
            runs[name].append(Run(program, arguments, on=name != "absent"))
    medians = {name: statistics.median(run.seconds for run in done) for name, done in runs.items()}
    shortest = {name: min(run.seconds for run in done) for name, done in runs.items()}
    cells = [row, arguments, f"{medians['absent']:.2f} s"]
    for name in ("default", "patch"):
        hits = sum(set(names_of(row)) <= run.hit for run in runs[name])
        ratios = [per_cent(times[name] / times["absent"]) for times in (medians, shortest)]
        cells += [" / ".join(ratios), f"{hits} of {ROUNDS_ON}"]
    return cells


def costs_off(_build, _rounds):
    with tempfile.TemporaryDirectory() as scratch:
        rows = [row_off(row, scratch) for row in sorted(LONG_OFF)]
    return "\n\n".join([
        "## Cost when off", OFF_INTRO.strip(),
        table(["kernel", "normal run", "off", "by place", "moved", "again", "compiled out"], rows)])


def link_shifted(build, text, name, *options):
    """One program for each of SHIFTS."""
    compiled = build.compile(text, f"{name}.o", "-c", *options)
    linked = []
    for shift in SHIFTS:
        padding = build.folder / f"padding{shift}.s"
        padding.write_text(f'.text\n.fill {shift}, 1, 0x90\n.section .note.GNU-stack,"",@progbits\n')
        program = build.folder / f"{name}-{shift}"
        subprocess.run([*GXX, str(padding), str(compiled), "-o", str(program)], check=True)
        linked.append(program)
    return linked


def row_off(row, scratch):
    build = Build(row, scratch)
    absent = link_shifted(build, build.plain_text, "plain")
    present = link_shifted(build, build.patched_text, "patched")
    compiled_out = link_shifted(build, build.patched_text, "out", "-DHEDDLE_NO_BREAKPOINTS", "-Wno-unused-variable")[0]
    programs = [*absent, *present, absent[0], compiled_out]
    times = []
    os.environ["HEDDLE_BREAKPOINTS"] = "off"
    for _ in range(ROUNDS_OFF):
        times.append([cpu_seconds_of([*ONE_CORE, str(program), *LONG_OFF[row].split()]) for program in programs])

    def median_ratio(over, under):
        return statistics.median(of_round[over] / of_round[under] for of_round in times)

    places = range(len(SHIFTS))
    pairs = [of_round[len(SHIFTS) + place] / of_round[place] for of_round in times for place in places]
    by_place = [median_ratio(len(SHIFTS) + place, place) for place in places]
    moved = [median_ratio(place, 0) for place in places]
    return [row, f"{statistics.median(of_round[0] for of_round in times):.2f} s", per_cent(statistics.median(pairs)),
            f"{per_cent(min(by_place))} to {per_cent(max(by_place))}",
            f"{per_cent(min(moved))} to {per_cent(max(moved))}",
            per_cent(median_ratio(2 * len(SHIFTS), 0)), per_cent(median_ratio(2 * len(SHIFTS) + 1, 0))]


def takes_a_second(row):
    return number(row["normal run"]) >= 1


def within_noise(row):
    return number(row["off"]) <= max(number(row["moved"].split(" to ")[1]), abs(number(row["again"])),
                                     abs(number(row["compiled out"])))


SECTIONS = {"breakpoint_costs": costs_on, "breakpoint_costs_off": costs_off}
BARS = {
    "breakpoint_costs": [Bar("cost with default time-outs, of runs of a second, median, at most", "<= 40 %",
                             largest("default time-outs", where=takes_a_second))],
    "breakpoint_costs_off": [Bar("programs whose cost when off is within noise", "all", count("off", within_noise))],
}
