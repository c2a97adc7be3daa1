"""How many schedules a second, what checkpoints save, how long runs scale, what a second core gives."""
import os
import statistics

from sections.measure import run_json, table

PAIRS = 5
INTRO = "The small program is `bench/micro/bodies.cpp`: two threads, a lock, about twenty scheduling points."


def explore(build, *words):
    report, code = run_json([build / "bin/heddle", "explore", "--json", "--quiet", *map(str, words)])
    if code not in (0, 1):
        raise SystemExit(f"bench: explore {words} ended with {code}: {report}")
    return report


def rate(build, *words):
    return explore(build, *words)["schedules_per_second"]


def speed(build, rounds):
    bodies = build / "bench/micro_bodies"
    served, inside, scaling = [], [], []
    for _ in range(rounds):
        served.append(rate(build, "--jobs", 1, "--runs", 6000, "--strategy", "random", "--", bodies))
        inside.append(rate(build, "--jobs", 1, "--runs", 200000, "--strategy", "random", "--in-process", "--", bodies))
    for pair in range(PAIRS):
        # Which comes first changes, so that neither has the better moments.
        order = ((1, 6000), (2, 12000)) if pair % 2 == 0 else ((2, 12000), (1, 6000))
        rates = {jobs: rate(build, "--jobs", jobs, "--runs", runs, "--", bodies) for jobs, runs in order}
        scaling.append(rates[2] / rates[1])
    prefix = 80_000_000
    alone, _ = run_json([build / "bin/heddle", "run", "--json", "--quiet", "--strategy", "sequential", "--", bodies,
                         str(prefix)])
    with_checkpoints = explore(build, "--jobs", 1, "--strategy", "preemptions", "--bound", 1, "--arm", "all", "--",
                               bodies, prefix)
    without = explore(build, "--jobs", 1, "--strategy", "preemptions", "--bound", 1, "--arm", "all", "--no-checkpoints",
                      "--runs", 30, "--", bodies, prefix)
    per_schedule = without["steps"]["executed"] / without["schedules"]
    fewer = per_schedule * with_checkpoints["schedules"] / with_checkpoints["steps"]["executed"]
    million = statistics.median(explore(build, "--jobs", 1, "--runs", 3, "--strategy", "random", "--arm", "all", "--",
                                        bodies, 500_000)["seconds"] for _ in range(rounds))
    ten_million = statistics.median(explore(build, "--jobs", 1, "--runs", 3, "--strategy", "random", "--arm", "all",
                                            "--", bodies, 5_000_000)["seconds"] for _ in range(rounds))
    rows = [
        ["schedules per second and core, fork server", f"{statistics.median(served):,.0f}", ">= 1,500"],
        ["schedules per second and core, inside the process", f"{statistics.median(inside):,.0f}", ">= 10,000"],
        [f"systematic search behind a prefix of {alone['seconds']:.1f} s ({alone['events']:,} steps): steps executed "
         "from the start, relative to steps executed from checkpoints",
         f"{fewer:,.0f}x ({with_checkpoints['schedules']} schedules; without checkpoints: estimated from "
         f"{without['schedules']})", ">= 20x"],
        ["time for 10 million steps / for 1 million", f"{ten_million / million:.1f}x", "<= 12x"],
        [f"schedules per second, 2 jobs / 1 job, median of {PAIRS} interleaved pairs",
         f"{statistics.median(scaling):.2f}x ({min(scaling):.2f} to {max(scaling):.2f}; "
         f"{len(os.sched_getaffinity(0))} processors)", ">= 1.7x on 2"],
    ]
    return "\n\n".join(["## Speed", INTRO.strip(), table(["what", "measured", "bar"], rows)])


SECTIONS = {"explore": speed}
