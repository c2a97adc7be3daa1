#!/usr/bin/env python3
"""Runs the suites of other projects natively and under control, and prints what differs. Results are kept in
FOLDER/results/SUITE.json, and a test that was measured with the same build is not run again; so parts of a suite add
up.

  bench/suites/run_suites.py --build build --suite posix --tests 'pthread_cond.*' --jobs 1
"""
import argparse
import concurrent.futures
import dataclasses
import hashlib
import json
import pathlib
import re
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from suites import boost, classify, libstdcxx, libuv, onetbb, posix, trials  # noqa: E402
from suites.suite import BuildFailed, Variant  # noqa: E402

SUITES = {suite.name: suite for suite in (posix.Posix, libstdcxx.Libstdcxx, boost.BoostThread,
                                         boost.BoostFiber, onetbb.OneTbb, libuv.Libuv)}
NATIVE_RUNS = 3
SEED = 1
HELPER_SECONDS = 0.3  # that libuv's own runner gives its helpers


def fingerprint(build):
    """Of what a run under control depends on."""
    digest = hashlib.sha256()
    for name in ("bin/heddle", "lib/heddle/libheddle_rt.so", "lib/heddle/heddle_instrument.so"):
        digest.update((build / name).read_bytes())
    return digest.hexdigest()[:16]


@dataclasses.dataclass
class Measured:
    """Of one suite."""
    title: str
    entries: dict   # {test: entry}
    left_out: dict  # {test: reason}
    tests: int      # in the suite

    def states(self):
        return {test: classify.state_of(entry, test in self.left_out) for test, entry in sorted(self.entries.items())}


class Session:
    """The results of one suite."""

    def __init__(self, suite, build, native_runs, again):
        self.suite = suite
        self.heddle = build / "bin/heddle"
        self.variants = (Variant("native", "clang-19", "clang++-19"),
                         Variant("heddle", str(build / "bin/heddle-cc"), str(build / "bin/heddle-c++")))
        self.native_runs = native_runs
        self.again = again
        self.build_of_heddle = fingerprint(build)
        self.path = suite.folder.parent / f"results/{suite.name}.json"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.results = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.lock = threading.Lock()

    def keep(self, test, entry):
        with self.lock:
            self.results[test.name] = entry
            scratch = self.path.with_suffix(".new")
            scratch.write_text(json.dumps(self.results, indent=1, sort_keys=True))
            scratch.rename(self.path)

    def prepare(self):
        self.suite.folder.mkdir(parents=True, exist_ok=True)
        for variant in self.variants:
            self.suite.prepare(variant)

    def with_helpers(self, test, program, run):
        helpers = [trials.started(command) for command in self.suite.helpers(test, program)]
        if helpers:
            time.sleep(HELPER_SECONDS)
        try:
            return run()
        finally:
            for helper in helpers:
                helper.kill()
                helper.wait()

    def ran_natively(self, entry):
        """Often enough; once is enough for a test that does not pass."""
        runs = entry.get("native", [])
        return ("not_built_natively" in entry or len(runs) >= self.native_runs
                or any(run["code"] != 0 for run in runs))

    def natively(self, test):
        """Kept from before: what a test does without Heddle does not depend on Heddle."""
        before = self.results.get(test.name, {})
        if self.ran_natively(before):
            return {key: before[key] for key in ("not_built_natively", "native") if key in before}
        try:
            program = self.suite.built(test, self.variants[0])
        except BuildFailed as error:
            return {"not_built_natively": str(error)[-1000:]}
        runs = []
        command = [program, *test.arguments]
        for _ in range(self.native_runs):
            runs.append(self.with_helpers(test, program, lambda: trials.natively(command, self.suite.beside())))
            if runs[-1]["code"] != 0:
                break
        return {"native": runs}

    def measure(self, test):
        before = self.results.get(test.name, {})
        if before.get("build") == self.build_of_heddle and not self.again and self.ran_natively(before):
            return before
        entry = self.natively(test)
        entry["build"] = self.build_of_heddle
        if all(run["code"] == 0 for run in entry.get("native", [{"code": None}])):
            try:
                program = self.suite.built(test, self.variants[1])
            except BuildFailed as error:
                entry["not_built"] = str(error)[-1000:]
            else:
                native = self.suite.built(test, self.variants[0])
                entry["runs"] = {
                    f"{engine} {strategy}": self.with_helpers(
                        test, native, lambda engine=engine, strategy=strategy: trials.controlled(
                            self.heddle, engine, strategy, SEED, [program, *test.arguments], self.suite.beside()))
                    for engine in trials.ENGINES for strategy in trials.STRATEGIES}
        self.keep(test, entry)
        return entry


def printed(name, entry, left_out):
    state = classify.state_of(entry, left_out)
    lines = [f"{state:10} {name}"]
    if state not in (classify.NOT_BUILT_NATIVELY, classify.FAILS_NATIVELY, trials.SAME):
        lines += [f"    {verdict}: {reason} [{where}]" for verdict, reason, where in classify.reasons_of(entry)]
        lines += [f"    {run['command']}" for run in entry.get("runs", {}).values()
                  if run["verdict"] != trials.SAME][:1]
    return "\n".join(lines)


def chosen(tests, pattern, shard):
    tests = [test for test in tests if re.search(pattern, test.name)]
    part, parts = map(int, shard.split("/"))
    return tests[part - 1::parts]


def run_suite(name, build, folder, pattern="", shard="1/1", jobs=1, native_runs=NATIVE_RUNS, again=False, say=print,
              seconds_max=None):
    """What was chosen. What `seconds_max` leaves no time for is not started."""
    session = Session(SUITES[name](folder / name), build, native_runs, again)
    session.suite.fetch()
    session.prepare()
    until = None if seconds_max is None else time.monotonic() + seconds_max
    left_out = session.suite.left_out()

    def one(test):
        if until is not None and time.monotonic() > until:
            return None
        entry = session.measure(test)
        say(printed(test.name, entry, test.name in left_out))
        return entry

    all_tests = session.suite.tests()
    tests = chosen(all_tests, pattern, shard)
    with concurrent.futures.ThreadPoolExecutor(min(jobs, session.suite.jobs_max or jobs)) as pool:
        entries = list(pool.map(one, tests))
    return Measured(SUITES[name].title, {test.name: entry for test, entry in zip(tests, entries) if entry is not None},
                    left_out, len(all_tests))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder with the tools")
    parser.add_argument("--folder", type=pathlib.Path, help="where sources, programs and results are kept "
                        "[BUILD/suites]")
    parser.add_argument("--suite", choices=list(SUITES), action="append", help="may be repeated [all]")
    parser.add_argument("--tests", default="", metavar="REGEX", help="tests whose names contain a match [all]")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="every N-th test")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--native-runs", type=int, default=NATIVE_RUNS)
    parser.add_argument("--seconds-max", type=float, help="after that no further test is started")
    parser.add_argument("--again", action="store_true", help="run tests again that were measured with this build")
    args = parser.parse_args()
    folder = (args.folder or args.build / "suites").resolve()
    for name in args.suite or SUITES:
        measured = run_suite(name, args.build.resolve(), folder, args.tests, args.shard, args.jobs,
                             args.native_runs, args.again, lambda text: print(text, flush=True), args.seconds_max)
        states = list(measured.states().values())
        print(f"{name}: " + ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states)))


if __name__ == "__main__":
    main()
