"""What became of a test in all its runs, and the reason, found from the outcomes by rules."""
import collections

from .trials import DIFFERS, REFUSED, SAME, TIMED_OUT

NOT_BUILT_NATIVELY = "does not build natively"
FAILS_NATIVELY = "does not pass natively"
LEFT_OUT = "left out"
NOT_BUILT = "does not build with Heddle"
GRAVEST_FIRST = (TIMED_OUT, DIFFERS, REFUSED, SAME)


def state_of(entry, left_out):
    """One word for a test. A test counts if it passes natively and is not left out by name."""
    if "not_built_natively" in entry:
        return NOT_BUILT_NATIVELY
    if any(run["code"] != 0 for run in entry["native"]):
        return FAILS_NATIVELY
    if left_out:
        return LEFT_OUT
    if "not_built" in entry:
        return NOT_BUILT
    verdicts = {run["verdict"] for run in entry["runs"].values()}
    return next(verdict for verdict in GRAVEST_FIRST if verdict in verdicts)


def where_of(labels, all_labels):
    """"all runs", or a name that all have in common, or the list."""
    if set(labels) == set(all_labels):
        return "all runs"
    for engine in sorted({label.split()[0] for label in all_labels}):
        if set(labels) == {label for label in all_labels if label.startswith(engine)}:
            return f"{engine} engine"
    return ", ".join(labels)


def reasons_of(entry):
    """[(verdict, reason, where)], of the runs that are not the same."""
    if "not_built" in entry:
        return [(NOT_BUILT, entry["not_built"].strip().split("\n")[-1][:160], "all runs")]
    found = collections.defaultdict(list)
    for label, run in entry["runs"].items():
        if run["verdict"] != SAME:
            found[run["verdict"], run["reason"]].append(label)
    return [(verdict, reason, where_of(labels, entry["runs"])) for (verdict, reason), labels in found.items()]
