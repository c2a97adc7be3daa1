"""What the foundation promises: the cost of instrumentation, of control, of recording; switches and steps; replay."""
import pathlib
import statistics
import tempfile

from .bars import Bar, all_equal, cell, count
from .measure import ONE_CORE, geometric_mean, interleaved, run_json, seconds_of, table

PROGRAMS = ["sort", "list_walk", "matrix", "saxpy", "string_tree", "json", "hash_table", "queue", "nbody"]
# Loops that the compiler vectorises: the cost of recording all their accesses is reported, without a bar.
VECTOR = {"matrix", "saxpy"}


PROGRAMS_INTRO = """Programs of `bench/programs/`, each natively, built by heddle-c++ and run without control, run
under control, recorded, and built with ThreadSanitizer. Means are geometric; the mean of recording leaves out the
vector loops.
"""
PROGRAMS_REASONS = """Shared sites armed: hash_table executes two lock operations for each lookup, and nbody accesses
data behind a barrier made of atomics (docs/design/010_sharing.md). Recording: docs/design/019_recording.md describes
its cost. The program and the host work in parallel, so the slower one determines the time of the run: the host for
sort and json, the program for list_walk and nbody. json makes two accesses per nanosecond of native time.
"""
REPLAY_INTRO = """A failing clip is replayed on both engines. A run counts if it ends with the signature and the
event hash of the original run.
"""


def run(build, *words):
    return [str(build / "bin/heddle"), "run", "--quiet", "--timeout", "600s", *map(str, words)]


def programs(build, rounds):
    rows, idle, shared, recorded = [], [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        for name in PROGRAMS:
            program = build / f"bench/bench_{name}"
            armed = pathlib.Path(scratch) / f"{name}.sites"
            shared_words = ("--strategy", "random", "--quantum", 10000, "--arm", "shared")
            # The profile run that finds the shared sites is made once, outside of what is timed.
            seconds_of(run(build, *shared_words, "--save-arm", armed, "--", program))
            native = [*ONE_CORE, str(program) + "_native"]
            control = ("--strategy", "random", "--quantum", 10000)
            quick = interleaved({
                "native": native,
                "idle": [*ONE_CORE, str(program)],
                "shared": run(build, *control, "--arm", armed, "--", program),
            }, rounds)
            # These take up to a hundred times as long: fewer slices, against native slices of their own.
            traced = interleaved({
                "native": native,
                "recorded": run(build, *control, "--record", pathlib.Path(scratch) / "all.htrace", "--", program),
            }, max(3, rounds // 5))
            checked = interleaved({"native": native, "tsan": [*ONE_CORE, str(program) + "_tsan"]}, max(1, rounds // 5))
            ratio = {"idle": quick["idle"] / quick["native"], "shared": quick["shared"] / quick["native"],
                     "recorded": traced["recorded"] / traced["native"], "tsan": checked["tsan"] / checked["native"]}
            idle.append(ratio["idle"])
            shared.append(ratio["shared"])
            if name not in VECTOR:
                recorded.append(ratio["recorded"])
            rows.append([name + (" (vector)" if name in VECTOR else ""), f"{quick['native']:.2f} s",
                         *(f"{ratio[key]:.2f}x" for key in ("idle", "shared", "recorded", "tsan"))])
    rows.append(["geometric mean", "", f"{geometric_mean(idle):.2f}x", f"{geometric_mean(shared):.2f}x",
                 f"{geometric_mean(recorded):.2f}x (scalar ones)", ""])
    return "\n\n".join([
        "## Whole programs, against native on one core", PROGRAMS_INTRO.strip(),
        table(["program", "native", "nothing armed", "controlled, shared sites armed", "everything recorded",
               "ThreadSanitizer"], rows), PROGRAMS_REASONS.strip()])


def cost_of(build, program, words, small, large, rounds, count):
    """Nanoseconds per `count` (a key of the report), from two lengths of one program under control."""
    costs = []
    for _ in range(rounds):
        short, long = (run_json([*run(build, "--json", *words), "--", str(build / "bench" / program), str(size)])[0]
                       for size in (small, large))
        costs.append((long["seconds"] - short["seconds"]) / (long[count] - short[count]) * 1e9)
    return statistics.median(costs)


def cost_per_round(build, program, words, small, large, rounds):
    """The same per unit of the program's own length."""
    costs = []
    for _ in range(rounds):
        short, long = (run_json([*run(build, "--json", *words), "--", str(build / "bench" / program), str(size)])[0]
                       for size in (small, large))
        costs.append((long["seconds"] - short["seconds"]) / (large - small) * 1e9)
    return statistics.median(costs)


def smallest(build, rounds):
    alternate = ("--strategy", "round-robin", "--quantum", "1")
    switch = cost_of(build, "micro_switches", alternate, 10_000, 1_000_000, rounds, "switches")
    thread_switch = cost_of(build, "micro_switches", (*alternate, "--engine", "thread"), 1_000, 20_000, rounds,
                            "switches")
    armed = cost_per_round(build, "micro_steps", ("--strategy", "sequential"), 1_000_000, 50_000_000, rounds)
    disarmed = cost_per_round(build, "micro_steps", ("--strategy", "sequential", "--arm", "none"), 1_000_000,
                              50_000_000,
                              rounds)
    bare, _ = run_json([str(build / "bench/heddle_switch_benchmark"), "--benchmark_format=json"])
    bare_ns = bare["benchmarks"][0]["cpu_time"] / 2
    rows = [["passing the turn to another thread, fiber engine", f"{bare_ns:.0f} ns", ""],
            ["thread switch, fiber engine: choosing, recording, passing the turn", f"{switch:.0f} ns", "<= 50 ns"],
            ["thread switch, thread engine", f"{thread_switch:.0f} ns", ""],
            ["a scheduling point without a switch, beyond its branch", f"{armed - disarmed:.1f} ns", "<= 10 ns"]]
    return "## Switches and steps\n\n" + table(["what", "measured", "bar"], rows)


def replay(build, rounds):
    rows = []
    for name in ("BankAcct", "StringBuf", "Jigsaw", "log4j", "PBZip2-Order", "Moz-jsStr"):
        kernel = build / f"kernels/{name}/kernel"
        with tempfile.TemporaryDirectory() as scratch:
            clip = pathlib.Path(scratch) / "failure.clip"
            for seed in range(1, 1001):
                words = ["--seed", str(seed), "--quantum", str((2, 4, 8, 16, 32)[seed % 5])]
                start = [str(build / "bin/heddle"), "run", "--json", "--quiet", *words]
                report, code = run_json([*start, "--", str(kernel)])
                if code == 1:
                    run_json([*start, "--clip", str(clip), "--", str(kernel)])
                    break
            else:
                rows.append([name, "no failure within 1,000 schedules", "", ""])
                continue
            times = 1000 if name == "BankAcct" else 100
            cells = []
            for engine in ("fiber", "thread"):
                result, _ = run_json([str(build / "bin/heddle"), "replay", "--json", "--quiet", "--engine", engine,
                                      "--times", str(times), str(clip)])
                same = result["event_hash"] == report["event_hash"]
                cells.append(f"{result['reproduced_runs']} of {result['runs']}{'' if same else ', another hash'}")
            rows.append([name, f"{report['outcome']['kind']} at schedule {seed}", *cells])
    return "\n\n".join(["## Replay", REPLAY_INTRO.strip(),
                        table(["kernel", "failed as", "fiber engine", "thread engine"], rows)])


SECTIONS = {"programs": programs, "smallest": smallest, "replay": replay}
BARS = {
    "programs": [
        Bar("time with nothing armed, geometric mean", "<= 1.1x", cell("nothing armed", "geometric mean")),
        Bar("time with shared sites armed, geometric mean", "<= 1.3x",
            cell("controlled, shared sites armed", "geometric mean")),
        Bar("time with everything recorded, geometric mean of the scalar programs", "<= 4x",
            cell("everything recorded", "geometric mean"))],
    "replay": [
        Bar("kernels with all replays equal, fiber engine", "all", count("fiber engine", all_equal("fiber engine"))),
        Bar("kernels with all replays equal, thread engine", "all",
            count("thread engine", all_equal("thread engine")))],
}
