"""Test suites of other projects: what passes natively passes under control."""
import os

from suites import classify, run_suites, trials

from .bars import NOT_MEASURED
from .measure import table

INTRO = """Test suites from Debian's source packages, built natively (clang 19) and with heddle-cc and heddle-c++
(`bench/suites/`). *Counted* are the tests that pass in each native run and are not left out by name. A test is *as
natively* if it passes in all six runs under control: on both engines, with the strategies sequential, random and
pct. Tests are *left out* because they assert real time or real parallelism, because they are wrong themselves, or
because they are about a call that is refused by design (`bench/suites/*_left_out.txt`). *Refused*: ended with exit code
3 and a message that names the call.
"""
TROUBLE = (trials.DIFFERS, classify.NOT_BUILT, trials.REFUSED, trials.TIMED_OUT)
COUNTED = (trials.SAME, *TROUBLE)


def escaped(text):
    return text.replace("|", "\\|")


def min_native_runs(results):
    """Of the tests that pass natively."""
    return min((len(entry["native"]) for measured in results for entry in measured.entries.values()
                if "native" in entry and all(run["code"] == 0 for run in entry["native"])), default=0)


def section_of(results):
    """`results`: of run_suite"""
    counts, bars, trouble, left = [], [], [], []
    for measured in results:
        title, states = measured.title, measured.states()
        number = {state: sum(each == state for each in states.values()) for state in set(states.values())}
        counted = sum(number.get(state, 0) for state in COUNTED)
        counts.append([title, f"{len(states)} of {measured.tests}", number.get(classify.NOT_BUILT_NATIVELY, 0),
                       number.get(classify.FAILS_NATIVELY, 0), number.get(classify.LEFT_OUT, 0), counted,
                       number.get(trials.SAME, 0), *(number.get(state, 0) for state in TROUBLE)])
        for what, value, limit in (("as natively", f"{number.get(trials.SAME, 0)} of {counted}", ">= 99 %"),
                                   ("refused by name", f"{number.get(trials.REFUSED, 0)} of {counted}", "<= 1 %"),
                                   ("time-outs", number.get(trials.TIMED_OUT, 0), "0")):
            bars.append([f"{title}: {what}", value if counted else NOT_MEASURED, limit])
        trouble += [[title, test, verdict, escaped(reason), where] for test, state in states.items()
                    if state in TROUBLE for verdict, reason, where in classify.reasons_of(measured.entries[test])]
        left += [[title, test, escaped(measured.left_out[test])] for test, state in states.items()
                 if state == classify.LEFT_OUT]
    return "\n\n".join([
        "## Test suites of other projects",
        INTRO.strip(),
        f"Native runs of each test that counts: {min_native_runs(results)} or more.",
        table(["suite", "tests measured", "not built natively", "fail natively", "left out", "counted", "as natively",
               "differ", "not built with Heddle", "refused", "time-out"], counts),
        table(["what", "measured", "bar"], bars),
        "Every test that is not as natively:",
        table(["suite", "test", "verdict", "reason", "where"], trouble) if trouble else "none",
        "Every test that is left out:",
        table(["suite", "test", "reason"], left) if left else "none"])


def suites(build, rounds):
    """`rounds` has no meaning here: counts, not times."""
    return section_of([run_suites.run_suite(name, build, build / "suites", jobs=os.cpu_count(), say=lambda text: None)
                       for name in run_suites.SUITES])


SECTIONS = {"suites": suites}
