"""Compares what heddle predict confirms from one run with everything that can happen: every schedule is run, depth
first, and its anomalies are listed by lines."""
import collections
import json
import subprocess
import tempfile

KINDS = ("data_race", "atomicity", "multi_variable")

Comparison = collections.namedtuple("Comparison", "schedules complete feasible contained confirmed")


def document(words, codes):
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    if done.returncode not in codes:
        raise SystemExit(f"{' '.join(map(str, words))} ended with {done.returncode}")
    return json.loads(done.stdout)


def lines_of(key):
    """An anomaly by its lines. The order of a triple counts; of the others it may differ from run to run."""
    kind, *words = key.split()
    accesses = [word for word in words if "@" in word]
    return (kind, *(accesses if kind == "atomicity" else sorted(accesses)))


def is_in_trace(lines, meetings):
    """Whether each of its accesses meets another one of them at some memory."""
    return all(any((access, other) in meetings for j, other in enumerate(lines) if j not in (0, i))
               for i, access in enumerate(lines) if i != 0)


def compare(heddle, all_orders, schedules_max, command):
    with tempfile.TemporaryDirectory() as folder:
        report = document([heddle, "predict", "--json", "--quiet", "--all", "--exhaustive", "--out", folder, "--",
                           *command], (0, 1))
    everything = document([all_orders, schedules_max, *command], (0,))
    confirmed = {lines_of(a["key"]) for a in report["anomalies"] if a["status"] == "confirmed" and a["kind"] in KINDS}
    feasible = {lines_of(key) for key in everything["anomalies"] if key.split()[0] in KINDS}
    meetings = set(map(tuple, everything["meetings"]))
    contained = {lines for lines in feasible if is_in_trace(lines, meetings)}
    return Comparison(everything["runs"], everything["complete"], feasible, contained, confirmed)
