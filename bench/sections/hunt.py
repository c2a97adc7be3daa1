"""heddle hunt on every kernel and every repaired twin: is the bug found, and is its cause the one that is known?"""
import pathlib
import tempfile
import tomllib

from sections.measure import run_json, table


def is_right(bug, expected):
    """Kind of the cause right; and at least two threads, and no line that is not listed."""
    cause = bug["cause"] or {"kind": "unknown", "accesses": []}
    lines = {access["line"] for access in cause["accesses"]}
    threads = {access["thread"] for access in cause["accesses"]}
    return cause["kind"] == expected["cause_kind"], len(threads) >= 2 and lines <= set(expected["lines"])


def hunt(build, rounds):
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    rows, found, kinds, accesses, quiet = [], 0, 0, 0, 0
    kernels = sorted(path.parent for path in (root / "kernels").glob("*/expect.toml"))
    for kernel in kernels:
        expected = tomllib.loads((kernel / "expect.toml").read_text())
        with tempfile.TemporaryDirectory() as folder:
            report, code = run_json([build / "bin/heddle", "hunt", "--json", "--quiet", "--first", "--time", "60s", "--out",
                                     folder, "--", build / "kernels" / kernel.name / "kernel"])
            twin, twin_code = run_json([build / "bin/heddle", "hunt", "--json", "--quiet", "--time", "5s", "--out", folder,
                                        "--", build / "kernels" / kernel.name / "fixed"])
        silent = twin_code == 0 and not twin["bugs"]
        quiet += silent
        if code != 1 or not report["bugs"]:
            rows.append([kernel.name, "no", expected["cause_kind"], "-", "-", "-", "-", "yes" if silent else "no"])
            continue
        bug = report["bugs"][0]
        kind_right, accesses_right = is_right(bug, expected)
        found, kinds, accesses = found + 1, kinds + kind_right, accesses + (kind_right and accesses_right)
        cause = bug["cause"] or {"kind": "-", "accesses": []}
        rows.append([kernel.name, f"{report['seconds']:.1f} s", expected["cause_kind"], cause["kind"],
                     " ".join(map(str, sorted({access["line"] or 0 for access in cause["accesses"]}))),
                     " ".join(map(str, expected["lines"])), "yes" if kind_right and accesses_right else "no",
                     "yes" if silent else "no"])
    total = len(kernels)
    summary = [["bugs found", f"{found} of {total}", "all"], ["kind of the cause right", f"{kinds} of {total}", "all"],
               ["kind right, and only accesses that belong to the bug", f"{accesses} of {total}", "all"],
               ["repaired twins without a report", f"{quiet} of {total}", "all"]]
    return ("## Hunting: the corpus\n\n`heddle hunt --first --time 60s` on each kernel, and 5 s on its repaired twin. The cause is "
            "right when its kind is that of `expect.toml` and its accesses are of two threads or more and of no other lines.\n\n"
            + table(["what", "measured", "bar"], summary) + "\n\n"
            + table(["kernel", "found in", "cause", "cause told", "lines told", "lines known", "right", "twin silent"], rows))


SECTIONS = {"hunt": hunt}
