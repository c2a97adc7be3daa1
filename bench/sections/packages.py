"""Programs of other projects: Debian source packages, built with heddle-cc and heddle-c++, under random
schedules."""
import filecmp
import os
import pathlib
import shutil
import subprocess
import tempfile

from suites.sources import download

from .measure import ONE_CORE, interleaved, seconds_of, table

SEEDS = 20
INTRO = """Debian source packages with four threads. *Right under control*: compressing and decompressing under random
schedules with everything armed gives the input again. The times are of compressing, against native on one core.
"""
PBZIP2_FLAGS = ("CXXFLAGS=-O2 -std=gnu++98 -pthread -D_POSIX_PTHREAD_SEMANTICS -DUSE_STACKSIZE_CUSTOMIZATION "
                "-D_LARGEFILE64_SOURCE=1 -D_FILE_OFFSET_BITS=64")


def fetch(package, folder):
    """The unpacked upstream source."""
    archive = download(package, folder / package)
    before = set(archive.parent.iterdir())
    subprocess.run(["tar", "xf", archive.name], cwd=archive.parent, check=True)
    return next(path for path in archive.parent.iterdir() if path not in before)


def quietly(command, folder, **variables):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **variables})
    if done.returncode != 0:
        raise SystemExit(f"bench: {' '.join(map(str, command))} failed:\n{done.stdout[-2000:]}")


def build_pbzip2(source, compiler):
    quietly(["make", "clean"], source)
    quietly(["make", f"CXX={compiler}", PBZIP2_FLAGS], source)
    return source / "pbzip2"


def build_xz(source, compiler):
    if (source / "Makefile").exists():
        quietly(["make", "distclean"], source)
    quietly(["./configure", "-q", "--disable-shared", "--disable-nls", "--disable-doc", "--disable-scripts",
             "CFLAGS=-O2"], source, CC=str(compiler))
    quietly(["make", "-s", "-j2"], source)
    return source / "src/xz/xz"


PACKAGES = {
    "pbzip2": (build_pbzip2, "heddle-c++", "clang++-19", ["-p4", "-b1", "-c"], ["-d", "-p4", "-c"]),
    "xz-utils": (build_xz, "heddle-cc", "clang-19", ["-T4", "--block-size=300000", "-1", "-c"], ["-d", "-T4", "-c"]),
}


def make_input(path, megabytes):
    """Text that repeats itself less and less: neither noise nor zeros."""
    with open(path, "w") as out:
        state = 1
        while out.tell() < megabytes << 20:
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            out.write(f"line {state % 977}: {'abcdefgh'[state % 8] * (state >> 60)} {state >> 40:x}\n")


def packages(build, rounds):
    rows = []
    heddle = str(build / "bin/heddle")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        small, large = folder / "small", folder / "large"
        make_input(small, 1)
        make_input(large, 8)
        for package, (make, driver, native_compiler, compress, decompress) in PACKAGES.items():
            source = fetch(package, folder)
            native = folder / f"{package}_native"
            shutil.copy(make(source, native_compiler), native)
            ours = folder / f"{package}_heddle"
            shutil.copy(make(source, build / "bin" / driver), ours)
            right = 0
            for seed in range(1, SEEDS + 1):
                control = [heddle, "run", "--quiet", "--timeout", "300s", "--seed", str(seed), "--quantum", "1000",
                           "--"]
                packed, unpacked = folder / "packed", folder / "unpacked"
                with open(packed, "wb") as out:
                    subprocess.run([*control, ours, *compress, small], stdout=out, stderr=subprocess.DEVNULL)
                with open(unpacked, "wb") as out:
                    subprocess.run([*control, ours, *decompress, packed], stdout=out, stderr=subprocess.DEVNULL)
                right += filecmp.cmp(small, unpacked, shallow=False)
            armed = folder / f"{package}.sites"
            control = [heddle, "run", "--quiet", "--timeout", "600s", "--quantum", "10000"]
            seconds_of([*control, "--arm", "shared", "--save-arm", str(armed), "--", ours, *compress, small])
            times = interleaved({
                "native": [*ONE_CORE, native, *compress, large],
                "idle": [*ONE_CORE, ours, *compress, large],
                "shared": [*control, "--arm", str(armed), "--", ours, *compress, large],
                "all": [*control, "--", ours, *compress, large],
            }, rounds)
            rows.append([package, f"{right} of {SEEDS}",
                         *(f"{times[key] / times['native']:.2f}x" for key in ("idle", "shared", "all"))])
    return "\n\n".join([
        "## Programs of other projects", INTRO.strip(),
        table(["package", "right under control", "not controlled", "controlled, shared sites armed",
               "controlled, everything armed"], rows)])


SECTIONS = {"packages": packages}
