"""What the production build costs (Figure 10 of multicore dumps), and whether a core of it can be read: programs in the
manner of SPLASH-2 and two Debian packages, fixed beforehand."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from .measure import ONE_CORE, geometric_mean, table
from .packages import fetch, quietly

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SLICES = 9
PLAIN = {"c": "clang-19", "c++": "clang++-19"}
HEDDLE = {"c": "heddle-cc", "c++": "heddle-c++"}

# Arguments of a slice, and of a run under callgrind, which is fifty times slower.
SPLASH = {
    "fft": ("1 9 25", "1 7 2"),
    "lu": ("1 32 15", "1 12 2"),
    "radix": ("1 2000000 15", "1 100000 2"),
    "barnes": ("1 6000 20", "1 800 1"),
    "ocean": ("1 514 800", "1 130 30"),
    "water": ("1 512 45", "1 128 2"),
}
LUA_SCRIPT = """
local n = tonumber(arg[1])
local function fib(k) if k < 2 then return k end return fib(k - 1) + fib(k - 2) end
local words, count = {}, {}
for i = 1, n * 400 do words[i] = string.format("w%d", i * 7919 % 1009) end
table.sort(words)
for _, word in ipairs(words) do count[word] = (count[word] or 0) + 1 end
local text = table.concat(words, " ")
local found = 0
for _ in text:gmatch("w1%d*") do found = found + 1 end
print(fib(n), #words, found, (text:gsub("9", "x")):len())
"""


def make_text(path, lines):
    state = 1
    with open(path, "w") as file:
        for i in range(lines):
            state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
            client = f"10.0.{state >> 40 & 255}.{state >> 33 & 255}"
            file.write(f"{i} request /page/{state >> 50} from {client} took {state >> 55} ms\n")


def bzip2_sources(folder):
    """(source files, flags)"""
    source = fetch("bzip2", folder)
    parts = ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib", "bzip2")
    return [source / f"{part}.c" for part in parts], ["-D_FILE_OFFSET_BITS=64"]


def lua_sources(folder):
    source = fetch("lua5.4", folder) / "src"
    return ([path for path in sorted(source.glob("*.c")) if path.name != "luac.c"],
            ["-std=gnu99", "-DLUA_COMPAT_5_3", "-DLUA_USE_POSIX"])


class Builds:
    """The same program by clang as it is, and by the production build; what is there already is not built again."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder

    def compile(self, name, language, find_sources):
        programs = {kind: self.folder / f"{name}.{kind}" for kind in ("plain", "production")}
        if all(program.exists() for program in programs.values()):
            return self.with_copy(name, programs)
        sources, flags = find_sources(self.folder)
        for kind in programs:
            compiler = PLAIN[language] if kind == "plain" else str(self.build / "bin" / HEDDLE[language])
            quietly([compiler, "-O2", "-g", *flags, *map(str, sources), "-o", programs[kind], "-pthread", "-lm",
                     "-ldl"],
                    self.folder, HEDDLE_BUILD="production")
        return self.with_copy(name, programs)

    def with_copy(self, name, programs):
        programs["same"] = self.folder / f"{name}.same"
        shutil.copy(programs["plain"], programs["same"])
        return programs


def user_seconds(command):
    process = subprocess.Popen([*ONE_CORE, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"bench: {' '.join(map(str, command))} ended with {process.returncode}")
    return usage.ru_utime


def instructions(command):
    # Valgrind cannot read clang's debug information, and does not need it.
    stripped = f"{command[0]}.stripped"
    subprocess.run(["strip", "-g", "-o", stripped, command[0]], check=True)
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", stripped,
                           *map(str, command[1:])], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    collected = [line for line in done.stderr.splitlines() if "Collected" in line]
    if done.returncode != 0 or not collected:
        raise SystemExit(f"bench: callgrind on {command[0]} ended with {done.returncode}:\n{done.stderr[-1000:]}")
    return int(collected[-1].split(":")[1])


def percent(ratio):
    return f"{100 * (ratio - 1):+.1f} %"


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def verify(build, program, *options):
    done = subprocess.run([build / "bin/heddle-verify", program, *options], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"bench: heddle-verify: {done.stderr}")
    return json.loads(done.stdout)


def subjects(build, folder):
    """(name, programs, arguments of a slice, arguments under callgrind)"""
    builds = Builds(build, folder)
    for name, (slice_arguments, short) in SPLASH.items():
        source = ROOT / "bench/splash" / f"{name}.cpp"
        programs = builds.compile(name, "c++", lambda _, source=source: ([source], ["-std=c++20"]))
        yield name, programs, slice_arguments.split(), short.split()
    programs = builds.compile("bzip2", "c", bzip2_sources)
    make_text(folder / "long.txt", 50_000)
    make_text(folder / "short.txt", 2_000)
    yield "bzip2", programs, ["-kc", folder / "long.txt"], ["-kc", folder / "short.txt"]
    programs = builds.compile("lua", "c", lua_sources)
    (folder / "script.lua").write_text(LUA_SCRIPT)
    yield "lua", programs, [folder / "script.lua", "32"], [folder / "script.lua", "17"]



def intro(rounds):
    return f"""User time of one core, the least of {max(rounds, SLICES)} interleaved slices each of three programs:
as clang compiles it, an identical copy (the floor), and the production build. The production build describes a loop
where that is enough to read its count, and counts its iterations elsewhere. Instructions are counted by callgrind,
on shorter runs. The last columns: the share of the calls and of the memory accesses in loops at which every loop's
counter can be read (`heddle-verify`). The paper's Figure 10: 0 to 2.5 %, 1.6 % on average."""


NESTING_INTRO = """Table 1: how blocks nest (the paper, statements of apache, mysql and postgresql: one dependence
84.4-89.9 %, aggregated to one 2.8-4.9 %, not aggregated 2.7-4.2 %, loop predicates 4.2-7.4 %)
"""


def production_tables(build, rounds):
    overhead, nestings = [], []
    floors, costs, counts = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        # Programs that were built before, apart from the measurement, are taken from there.
        folder = pathlib.Path(os.environ.get("HEDDLE_BENCH_PROGRAMS", scratch))
        for name, programs, arguments, short in subjects(build, folder):
            seconds = {kind: [] for kind in programs}
            for _ in range(max(rounds, SLICES)):
                for kind, program in programs.items():
                    seconds[kind].append(user_seconds([program, *arguments]))
            best = {kind: min(slices) for kind, slices in seconds.items()}
            executed = {kind: instructions([programs[kind], *short]) for kind in ("plain", "production")}
            floors.append(best["same"] / best["plain"])
            costs.append(best["production"] / best["plain"])
            counts.append(executed["production"] / executed["plain"])
            seen = verify(build, programs["production"])
            overhead.append((name, f"{best['plain']:.2f}", percent(floors[-1]), percent(costs[-1]),
                             percent(costs[-1] / floors[-1]), percent(counts[-1]),
                             share(seen["calls"]["counted"], seen["calls"]["in_loops"]),
                             share(seen["accesses"]["counted"], seen["accesses"]["in_loops"])))
            if name in ("bzip2", "lua"):
                kinds = seen["nestings"]
                all_blocks = sum(kinds.values())
                nestings.append((name, *(share(kinds[kind], all_blocks) for kind in
                                         ("single", "aggregated", "not_aggregated", "loop", "none")), all_blocks))
        mean = [geometric_mean(values) for values in (floors, costs, counts)]
        overhead.append(("geometric mean", "", percent(mean[0]), percent(mean[1]), percent(mean[1] / mean[0]),
                         percent(mean[2]), "", ""))
    return "\n\n".join([
        "## The production build",
        intro(rounds),
        table(["program", "s", "identical binary", "production", "minus the floor", "instructions",
               "calls with counters", "accesses with counters"], overhead),
        NESTING_INTRO.strip(),
        table(["program", "one dependence", "aggregated to one", "not aggregated", "loop", "none", "blocks"], nestings),
    ])


SECTIONS = {"production": production_tables}
