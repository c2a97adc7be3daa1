"""How things are timed: on one core, interleaved, medians."""
import json
import math
import os
import resource
import statistics
import subprocess
import time

ONE_CORE = ["taskset", "-c", "1"]


def seconds_of(command, env=None, allowed=(0,)):
    begin = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          text=True,
                          env=None if env is None else {**os.environ, **env})
    if done.returncode not in allowed:
        raise SystemExit(f"bench: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")
    return time.monotonic() - begin


def cpu_seconds_of(command):
    """Of the command and all that it waits for, in user and system mode: what other programs do meanwhile does not
    count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds_of(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def interleaved(commands, rounds, measure=seconds_of):
    """{name: command} -> {name: median seconds}; each round runs all of them once."""
    times = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(measure(command))
    return {name: statistics.median(slices) for name, slices in times.items()}


def run_json(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        return json.loads(done.stdout), done.returncode
    except ValueError:
        raise SystemExit(f"bench: {' '.join(map(str, command))} printed no JSON:\n{done.stdout}{done.stderr}")


class Cost:
    """Of one command that prints JSON: what it said, and with all that it started its memory, time by the clock, time
    of processors."""

    def __init__(self, command):
        begin = time.monotonic()
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   stdin=subprocess.DEVNULL)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            raise SystemExit(f"bench: {' '.join(map(str, command))} ended with {os.waitstatus_to_exitcode(status)}")
        self.seconds = time.monotonic() - begin
        self.processor = usage.ru_utime + usage.ru_stime
        self.bytes = usage.ru_maxrss * 1024
        self.said = json.loads(output)


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)
