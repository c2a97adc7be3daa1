"""Runs heddle and reads its JSON. Shared by the property tests."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile


class Heddle:
    def __init__(self, path):
        self.path = path

    def __call__(self, *words, env=None, cwd=None, timeout=300):
        """The JSON document and the exit code; a run that prints none ends the test with the command to repeat it. The
        first word is a verb or a verb and its sub-verb, as in "trace slice"."""
        command = [self.path, *words[0].split(), "--json", "--quiet", *map(str, words[1:])]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd,
                              env=None if env is None else {**os.environ, **env}, stdin=subprocess.DEVNULL,
                              timeout=timeout, errors="replace")
        try:
            return json.loads(done.stdout), done.returncode
        except ValueError:
            fail(f"{' '.join(command)}\nprinted no JSON (exit {done.returncode}):\n{done.stdout}{done.stderr}")

    def command(self, *words):
        return " ".join([self.path, *map(str, words)])


def fail(message):
    sys.exit(f"FAILED: {message}")


def source_arguments():
    """The command line of a law about one program that it compiles itself."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("source")
    return parser.parse_args()


def compile_program(compiler, source, program, level="-O1", hooks="", build=""):
    subprocess.run([compiler, "-std=c++20", level, "-g", "-UNDEBUG", source, "-o", program, "-pthread"], check=True,
                   env={**os.environ, "HEDDLE_HOOKS": hooks, "HEDDLE_BUILD": build})


def find_failing_clip(heddle, program, clip, budget, arguments=()):
    """Runs at most `budget` random schedules until one fails, or else a search; writes the clip and returns the
    report of that run."""
    for seed in range(1, budget + 1):
        quantum = (2, 4, 8, 16, 32)[seed % 5]
        report, code = heddle("run", "--seed", seed, "--quantum", quantum, "--timeout", "20s", "--", program,
                              *arguments)
        if code == 0:
            continue
        if code != 1:
            fail(f"seed {seed} ended with exit code {code}: {report}")
        again, _ = heddle("run", "--seed", seed, "--quantum", quantum, "--timeout", "20s", "--clip", clip, "--",
                          program,
                          *arguments)
        if again["event_hash"] != report["event_hash"]:
            fail(f"seed {seed} run twice gave {report['event_hash']} and {again['event_hash']}")
        return again
    with tempfile.TemporaryDirectory() as folder:
        found, code = heddle("explore", "--time", "60s", "--out", folder, "--", program, *arguments)
        if code != 1:
            fail(f"{program} did not fail within {budget} random schedules, nor when it was explored: {found}")
        shutil.copy(found["failures"][0]["clip"], clip)
    return heddle("replay", clip)[0]


def find_plain_clip(heddle, program, clip, budget, arguments=()):
    """Like find_failing_clip, but keeps the failing run with the fewest preemptions within the budget."""
    best = None
    for seed in range(1, budget + 1):
        words = ("--seed", seed, "--quantum", (8, 16, 32, 64, 128)[seed % 5], "--timeout", "20s")
        report, code = heddle("run", *words, "--", program, *arguments)
        if code == 1 and (best is None or report["preemptions"] < best[0]):
            best = (report["preemptions"], words)
    if best is None:
        fail(f"{program} did not fail within {budget} schedules")
    return heddle("run", *best[1], "--clip", clip, "--", program, *arguments)[0]
