"""heddle hunt on every kernel and every repaired twin: is the bug found, and is its cause the one that is known?"""
import concurrent.futures
import os
import pathlib
import tempfile
import tomllib

from sections.measure import run_json, table

KERNEL_TIME, TWIN_TIME = "60s", "60s"
INTRO = f"""`heddle hunt --first --time {KERNEL_TIME}` on each kernel and `heddle hunt --time {TWIN_TIME}` on its
repaired twin, each with `--jobs 1`; as many of them run in parallel as there are processors. *Found in* includes
shrinking and explaining. A cause is right if its kind is that of `expect.toml` and its accesses are of two threads
or more and of no other lines than those of `expect.toml`. Those lists, and four of the kinds, were revised for 16
kernels after causes had been reported (comments in `expect.toml`), so this measures agreement with them; it is not a
blind test.
"""


def known_lines(expected, outcome):
    return expected.get("also_lines", expected["lines"]) if outcome in expected.get("also", []) else expected["lines"]


def is_right(cause, expected, outcome):
    """Kind of the cause right; and at least two threads, and no line that is not listed."""
    lines = {access["line"] for access in cause["accesses"]}
    threads = {access["thread"] for access in cause["accesses"]}
    return cause["kind"] == expected["cause_kind"], len(threads) >= 2 and lines <= set(known_lines(expected, outcome))


def hunt_one(build, program, time, *options):
    with tempfile.TemporaryDirectory() as folder:
        return run_json([build / "bin/heddle", "hunt", "--json", "--quiet", "--jobs", "1", "--time", time, *options,
                         "--out", folder, "--", build / "kernels" / program])


def measure_kernel(build, kernel):
    expected = tomllib.loads((kernel / "expect.toml").read_text())
    report, code = hunt_one(build, f"{kernel.name}/kernel", KERNEL_TIME, "--first")
    twin, twin_code = hunt_one(build, f"{kernel.name}/fixed", TWIN_TIME)
    silent = twin_code == 0 and not twin["bugs"]
    if code != 1 or not report["bugs"]:
        return {"found": False, "kind": False, "right": False, "silent": silent,
                "row": [kernel.name, "no", expected["cause_kind"], "-", "-", "-", "-", "yes" if silent else "no"]}
    bug = report["bugs"][0]
    cause = bug["cause"] or {"kind": "-", "accesses": []}
    kind_right, accesses_right = is_right(cause, expected, bug["kind"])
    right = kind_right and accesses_right
    reported = " ".join(map(str, sorted({access["line"] or 0 for access in cause["accesses"]})))
    return {"found": True, "kind": kind_right, "right": right, "silent": silent,
            "row": [kernel.name, f"{report['seconds']:.1f} s", expected["cause_kind"], cause["kind"], reported,
                    " ".join(map(str, known_lines(expected, bug["kind"]))), "yes" if right else "no",
                    "yes" if silent else "no"]}


def hunt(build, rounds):
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    kernels = sorted(path.parent for path in (root / "kernels").glob("*/expect.toml"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        measured = list(pool.map(lambda kernel: measure_kernel(build, kernel), kernels))

    def count(what):
        return f"{sum(one[what] for one in measured)} of {len(measured)}"

    summary = [["bugs found", count("found"), "all"], ["kind of the cause right", count("kind"), "all"],
               ["kind right, and only accesses that belong to the bug", count("right"), "all"],
               ["repaired twins without a report", count("silent"), "all"]]
    return "\n\n".join([
        "## The corpus", INTRO.strip(), table(["what", "measured", "bar"], summary),
        table(["kernel", "found in", "cause", "cause reported", "lines reported", "lines expected", "right",
               "twin silent"],
              [one["row"] for one in measured])])


SECTIONS = {"hunt": hunt}
