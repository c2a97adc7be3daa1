"""One run of a test, natively or under control, and what became of it."""
import dataclasses
import json
import os
import re
import signal
import subprocess
import tempfile
import time

ENGINES = ("fiber", "thread")
STRATEGIES = ("sequential", "random", "pct")
TIMEOUT_SECONDS = 10         # of a run, as `heddle run --timeout`
NATIVE_SECONDS_MAX = 90      # tests that sleep for a minute
OUTER_SECONDS_MAX = 150      # `heddle run` itself has failed to end the run
LEFT_SECONDS_MAX = 1.0       # until descendants have ended after `heddle run` has
OUTPUT_BYTES = 600
NOBODY = 65534

SAME, DIFFERS, REFUSED, TIMED_OUT = "same", "differs", "refused", "time-out"


@dataclasses.dataclass
class Ended:
    code: object     # exit code, -signal, or None: killed here
    seconds: float
    output: str      # stdout
    errors: str
    left: bool       # descendants were still running


def group_lives(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def group_ended(group):
    until = time.monotonic() + LEFT_SECONDS_MAX
    while group_lives(group):
        if time.monotonic() > until:
            os.killpg(group, signal.SIGKILL)
            return False
        time.sleep(0.01)
    return True


def unprivileged():
    """For Popen. Tests set the clock of the machine, signal every process, and take real-time priorities where they
    may: they run as a user who may not."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def started(command):
    """A process beside the test."""
    return subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, **unprivileged())


def ended(command, seconds_max, beside=()):
    """In a process group and a folder of its own, where `beside` are found by their names. Output goes to files: a
    descendant that keeps a pipe open would hold the reader."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, tempfile.TemporaryFile() as output, \
            tempfile.TemporaryFile() as errors:
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        for path in beside:
            os.symlink(path, os.path.join(folder, path.name))
        begin = time.monotonic()
        process = subprocess.Popen(list(map(str, command)), cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=errors, process_group=0, **unprivileged())
        try:
            code = process.wait(seconds_max)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seconds = time.monotonic() - begin
        left = not group_ended(process.pid)
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
        return Ended(code, round(seconds, 2), *texts, left)


def natively(command, beside=()):
    run = ended(command, NATIVE_SECONDS_MAX, beside)
    return {"code": run.code, "seconds": run.seconds, "output": (run.output + run.errors)[-OUTPUT_BYTES:]}


def controlled_words(heddle, engine, strategy, seed, command):
    return [heddle, "run", "--engine", engine, "--strategy", strategy, "--seed", seed, "--timeout",
            f"{TIMEOUT_SECONDS}s", "--", *command]


def controlled(heddle, engine, strategy, seed, command, beside=()):
    words = list(map(str, controlled_words(heddle, engine, strategy, seed, command)))
    run = ended([words[0], "run", "--json", "--quiet", *words[2:]], OUTER_SECONDS_MAX, beside)
    try:
        outcome = json.loads(run.output)["outcome"]
    except (ValueError, KeyError, TypeError):
        outcome = {"kind": "no JSON", "message": (run.output + run.errors)[-OUTPUT_BYTES:]}
    verdict, reason = judged(run, outcome)
    return {"verdict": verdict, "reason": reason, "code": run.code, "seconds": run.seconds,
            "output": run.errors[-OUTPUT_BYTES:], "command": " ".join(words)}


def judged(run, outcome):
    message = " ".join((outcome.get("message") or outcome.get("signature") or "").split())
    if run.code is None:
        return TIMED_OUT, f"heddle run itself did not end within {OUTER_SECONDS_MAX} s"
    if run.code == 0:
        return (DIFFERS, "leaves descendants running") if run.left else (SAME, "")
    if run.code == 3:
        return REFUSED, message[:200]
    if outcome["kind"] == "timeout":
        return TIMED_OUT, f"--timeout: {message[:160]}"
    if outcome["kind"] == "exit":
        return DIFFERS, f"exits with {outcome.get('exit_code')}: {said_last(run.errors)}"
    return DIFFERS, f"{outcome['kind']}: {message[:200]}"


def said_last(text):
    """The last line that the test itself printed, without what differs between runs and machines."""
    lines = [line for line in text.strip().splitlines() if line.strip() and not line.startswith("heddle")]
    if not lines:
        return "no output"
    without_folder = re.sub(r"/\S*/source/", "", lines[-1].strip())
    return re.sub(r"0x[0-9a-f]+|\b\d{4,}\b", "N", without_folder)[:160]
