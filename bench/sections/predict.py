"""From one passing run to the failure: the corpus, the tables of the paper (PECAN, ISSTA 2011), completeness, speed."""
import functools
import pathlib
import statistics
import sys
import tempfile
import tomllib

from sections.measure import run_json, seconds_of, table
from sections.plot import log_log_plot

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/predict"))
from completeness import compare  # noqa: E402

PAPER = ROOT / "bench/papers"
# Programs of the paper's tables, and the kernels that have their bugs.
KERNEL_OF = {"Account": "Account", "BuggyPrg": "BuggyPro", "Critical": "Critical", "Loader": "Loader",
             "Manager": "Manager",
             "MergeSort": "MergeSort", "Shop": "Shop", "StringBuf": "StringBuf", "StringBuffer": "StringBuf",
             "ArrayList": "ArrayList", "LinkedList": "LinkedList", "HashSet": "HashSet", "TreeSet": "TreeSet",
             "Moldyn": "Moldyn", "RayTracer": "RayTracer", "MonteCarlo": "MonteCarlo", "Cache4j": "Cache4j-race",
             "Hedc": "Hedc", "Weblech-0.0.3": "Weblech", "Weblech": "Weblech", "OpenJMS-0.7.7": "OpenJMS-multiplexer",
             "Jigsaw-2.2.6": "Jigsaw-getNextEvent", "Jigsaw": "Jigsaw-getNextEvent", "Derby-10.3.2.1": "Derby-2861"}
# Where every schedule can be run: arguments that make the kernel as small as its bug allows.
SMALLEST = {"Account": ["2", "1"], "BuggyPro": ["2", "1", "1"], "Critical": ["1"], "Loader": ["4", "1"],
            "Manager": ["2", "1"],
            "MergeSort": ["2", "4"], "Shop": ["2", "1"], "StringBuf": ["1", "1"], "ArrayList": ["2", "1", "1"],
            "LinkedList": ["2", "1", "1"], "HashSet": ["1", "1", "1"], "TreeSet": ["1", "1", "2"],
            "Moldyn": ["2", "2", "1"],
            "RayTracer": ["2", "2"], "MonteCarlo": ["2", "2", "1"], "Cache4j-race": ["1", "2", "1"],
            "Hedc": ["1", "2", "1"],
            "Weblech": ["2", "1"], "OpenJMS-multiplexer": ["1", "1"], "Jigsaw-getNextEvent": ["2", "1"],
            "Derby-2861": ["2", "1", "1"], "PECAN-Figure1": ["1"], "PECAN-Figure5": ["1"]}
SCHEDULES_MAX = 250_000
RANDOM_RUNS = 200
CORPUS_INTRO = """One sequential run of each kernel is recorded, and every anomaly predicted from it is executed. An
anomaly is confirmed only if its execution shows it. If an execution does not show the anomaly, other places of the
trace are tried. Conflicting accesses are also tried in the other order, and runs that take new paths are analysed in
turn. An anomaly counts once, by its best try.
"""
TABLE_1_INTRO = """The paper's programs, each above our kernel with its bug. The kernel is a small program of its
own, so sizes and counts are not comparable. REAL: executed. EXP: of those, leading to a failure. F: executed without
showing the anomaly, and not reported. The paper's last three programs: REAL, EXP and F of a sample of 100.
SpecJBB-2005 is not in the corpus.
"""
TABLE_2_INTRO = f"""Share of executions that create an anomaly. In place of AssetFuzzer: {RANDOM_RUNS} random schedules,
averaged over the confirmed anomalies. Ours: three replays of the clips of the first ten anomalies.
"""
COMPLETENESS_INTRO = f"""Every schedule of a kernel at its smallest size is run, depth first, except those that
differ only in the order of independent operations (docs/design/009_predict.md). What each schedule shows, or could
show with the same reads, is listed by lines and compared with what `heddle predict --exhaustive` confirms from one
run. Where {SCHEDULES_MAX} schedules were not enough to run all, the list is a part of what is feasible.
"""
SPEED_INTRO = """Generated traces: threads that lock, read and write; see
`src/analysis/predict/predict_benchmark.cpp`. From the file to the witnesses, on one core; seconds are processor
time.
"""


def rows_of(name):
    lines = [line for line in (PAPER / name).read_text().splitlines() if not line.startswith("#")]
    header = lines[0].split("\t")
    return [dict(zip(header, line.split("\t"))) for line in lines[1:]]


@functools.cache
def predicted(build, kernel, *arguments):
    """The report of one kernel, with everything in it; None: it could not be run."""
    with tempfile.TemporaryDirectory() as folder:
        report, code = run_json([build / "bin/heddle", "predict", "--json", "--quiet", "--all", "--out", folder, "--",
                                 build / "kernels" / kernel / "kernel", *arguments])
    return report if code in (0, 1) else None


def count(report, kind, status=None):
    return sum(a["kind"] == kind and (status is None or a["status"] == status) for a in report["anomalies"])


def corpus(build, rounds):
    rows, predictable, found, strict, strict_confirmed = [], 0, 0, 0, 0
    for kernel in sorted(path.parent for path in (ROOT / "kernels").glob("*/expect.toml")):
        expected = tomllib.loads((kernel / "expect.toml").read_text())
        if (kernel / "client.cpp").exists():
            continue  # a server, and its client is not in the trace
        predictable += expected["predictable"]
        report = predicted(build, kernel.name)
        if report is None:
            rows.append([kernel.name, expected["predictable"], *["-"] * 9])
            continue
        kinds = {a["failure"]["kind"] for a in report["anomalies"] if a["failure"]}
        fails = bool(kinds & {expected["kind"], *expected.get("also", [])}) and not report["recorded_run"]
        strictly = [a for a in report["anomalies"] if a["rung"] == "strict" and a["status"] != "predicted"]
        strict += len(strictly)
        strict_confirmed += sum(a["status"] == "confirmed" for a in strictly)
        found += fails and expected["predictable"]
        rows.append([kernel.name, "yes" if expected["predictable"] else "no", report["events"], report["predicted"],
                     report["confirmed"], report["failing"], report["infeasible"], report["not_reached"],
                     f"{report['orders_tried']} / {report['traces_fed_back']}",
                     f"{report['analysis_seconds']:.2f} / {report['validation_seconds']:.1f}", "yes"
                     if fails else "no"])
    summary = [["predictable kernels made to fail from one passing run", f"{found} of {predictable}", ">= 90 %"],
               ["strict witnesses whose execution showed the anomaly", f"{strict_confirmed} of {strict}", ">= 95 %"]]
    return "\n\n".join([
        "## The corpus", CORPUS_INTRO.strip(), table(["what", "measured", "bar"], summary),
        table(["kernel", "predictable", "events", "predicted", "confirmed", "lead to a failure", "infeasible",
               "not reached", "other orders / traces fed back", "seconds to analyse / execute", "its failure"], rows)])


def overhead(build, kernel, rounds):
    """How much longer a recorded run takes than one that is not controlled, both with the start of the process."""
    with tempfile.TemporaryDirectory() as folder:
        program = build / "kernels" / kernel / "kernel"
        native, recorded = [], []
        for _ in range(rounds):
            # The bug may show itself.
            native.append(seconds_of([build / "bin/heddle", "run", "--native", "--quiet", "--", program],
                                     allowed=(0, 1)))
            recorded.append(seconds_of([build / "bin/heddle", "run", "--quiet", "--strategy", "sequential", "--values",
                                        "--record", f"{folder}/t.htrace", "--", program], allowed=(0, 1)))
    return f"{statistics.median(recorded) / statistics.median(native) - 1:.2f}x"


def table_1(build, rounds):
    rows = []
    for paper in rows_of("pecan_table_1.tsv"):
        rows.append([paper["program"], "paper", paper["threads"], paper["sv"], paper["events"], paper["overhead"],
                     paper["analysis"], paper["transform"], paper["race"], paper["av"], paper["asv"], paper["real"],
                     paper["exp"], paper["f"]])
        kernel = KERNEL_OF.get(paper["program"])
        report = predicted(build, kernel) if kernel else None
        if report is None:
            continue
        rows.append([kernel, "kernel", report["threads"], report["variables"], report["events"],
                     overhead(build, kernel, 3),
                     f"{1e3 * report['analysis_seconds']:.0f}ms", f"{1e3 * report['schedule_seconds']:.0f}ms",
                     count(report, "data_race"), count(report, "atomicity"), count(report, "multi_variable"),
                     report["confirmed"], report["failing"], report["infeasible"] + report["not_reached"]])
    return "\n\n".join([
        "## The paper's Table 1", TABLE_1_INTRO.strip(),
        table(["program", "", "threads", "SV", "events", "overhead", "analysis", "schedules", "race", "AV", "ASV",
               "REAL", "EXP", "F"], rows)])


def table_2(build, rounds):
    rows = []
    for paper in rows_of("pecan_table_2.tsv"):
        kernel = KERNEL_OF[paper["program"]]
        program = build / "kernels" / kernel / "kernel"
        with tempfile.TemporaryDirectory() as folder:
            report, _ = run_json([build / "bin/heddle", "predict", "--json", "--quiet", "--out", folder, "--", program])
            real = [a for a in report["anomalies"] if a["status"] == "confirmed" and a["clip"]
                    and a["kind"] in ("data_race", "atomicity", "multi_variable")]
            replayed = [run_json([build / "bin/heddle", "replay", "--json", "--quiet", "--times", "3", a["clip"]])[0]
                        for a in real[:10]]
        created = sum(r["reproduced_runs"] for r in replayed) / max(1, 3 * len(replayed))
        drawn, _ = run_json([build / "bin/heddle_all_orders", "--random", str(RANDOM_RUNS), program])
        shares = [drawn["anomalies"].get(a["key"], 0) / drawn["runs"] for a in real]
        rows.append([kernel, paper["assetfuzzer"], f"{sum(shares) / max(1, len(shares)):.2f}", paper["pecan"],
                     f"{created:.2f}", len(real)])
    return "\n\n".join([
        "## The paper's Table 2", TABLE_2_INTRO.strip(),
        table(["kernel", "AssetFuzzer (paper)", "random schedules", "PECAN (paper)", "heddle, by its clips",
               "anomalies"],
              rows)])


def completeness(build, rounds):
    rows, all_found, all_contained = [], 0, 0
    for kernel, arguments in SMALLEST.items():
        result = compare(build / "bin/heddle", build / "bin/heddle_all_orders", SCHEDULES_MAX,
                         [build / "kernels" / kernel / "kernel", *arguments])
        found = result.contained & result.confirmed
        if result.complete:
            all_found += len(found)
            all_contained += len(result.contained)
        rows.append([" ".join([kernel, *arguments]), result.schedules, "yes" if result.complete else "no",
                     len(result.feasible), len(result.contained), len(found), len(result.confirmed - result.feasible)])
    summary = [["feasible anomalies of the trace that one run confirmed, where all schedules were run",
                f"{all_found} of {all_contained}", ">= 95 %"]]
    return "\n\n".join([
        "## Completeness", COMPLETENESS_INTRO.strip(), table(["what", "measured", "bar"], summary),
        table(["kernel", "schedules", "all", "feasible", "in the trace", "of these confirmed",
               "confirmed and not in the list"], rows)])


def microbenchmarks(build, pattern):
    report, _ = run_json([build / "bin/heddle_predict_benchmark", "--benchmark_format=json",
                          f"--benchmark_filter={pattern}"])
    return {b["name"]: b for b in report["benchmarks"]}


def speed(build, rounds):
    found = microbenchmarks(build, "no_candidates|derby|shape")
    def seconds(name):
        return found[name]["cpu_time"] / 1e3
    shaped = [found[name] for name in ("derby", "shape_24_threads", "shape_12_threads")]
    rows = [["events per second, nothing to be found", f"{found['no_candidates']['events/s'] / 1e6:.1f} M", ">= 5 M"],
            ["447k events, 4 threads, 99 variables", f"{seconds('derby'):.2f} s", "<= 1 s (paper 6.2)"],
            ["181k events, 24 threads, 185 variables", f"{seconds('shape_24_threads'):.2f} s", "<= 3 s (paper 298.6)"],
            ["275k events, 12 threads, 307 variables", f"{seconds('shape_12_threads'):.2f} s", "<= 3 s (paper 177.7)"],
            ["a witness, median", f"{max(b['witness_median_ms'] for b in shaped):.2f} ms", "<= 1 ms"],
            ["a witness, 99 of 100", f"{max(b['witness_p99_ms'] for b in shaped):.0f} ms", "<= 100 ms"]]
    growth = [(b["events"], b["cpu_time"] / 1e3, b["peak_MB"]) for name, b in sorted(
        microbenchmarks(build, "growth").items(), key=lambda item: item[1]["events"])]
    log_log_plot(ROOT / "docs/evaluation/predict_growth.svg", "Predicting from longer traces", "events",
                 [("seconds", [(n, s) for n, s, _ in growth]), ("MB at most", [(n, m) for n, _, m in growth])])
    return "\n\n".join([
        "## Speed", SPEED_INTRO.strip(), table(["what", "measured", "bar"], rows),
        "![Time and memory](predict_growth.svg)",
        table(["events", "seconds", "MB at most"], [[f"{n:,.0f}", f"{s:.2f}", f"{m:.0f}"] for n, s, m in growth])])


SECTIONS = {"predict": corpus, "predict_table_1": table_1, "predict_table_2": table_2,
            "predict_completeness": completeness, "predict_speed": speed}
