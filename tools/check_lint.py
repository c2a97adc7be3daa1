#!/usr/bin/env python3
"""clang-tidy (.clang-tidy) finds nothing. By default in the sources changed since the commit where this branch left
main, or by the last commit, and in the working tree, FILES_MAX of them at most; with --all in every source that the
build compiles.

usage: check_lint.py ROOT BUILD [--all | FILE...]"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

from source_text import tree_files

FILES_MAX = 6  # about five seconds each
LINTED = ("src/", "tests/", "bench/")


def git(root, *words):
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
    return done.stdout.split() if done.returncode == 0 else []


def changed_files(root):
    """Since the branch left main; on main itself, by the last commit."""
    base = git(root, "merge-base", "HEAD", "main") or git(root, "merge-base", "HEAD", "origin/main")
    if not base or base == git(root, "rev-parse", "HEAD"):
        base = git(root, "rev-parse", "HEAD~1")
    names = git(root, "diff", "--name-only", *base) if base else []
    return sorted({*names, *git(root, "diff", "--name-only", "HEAD")})


def commands_of(root, build):
    """{path: arguments of its compilation}. Sources that are compiled several at a time take the arguments of their
    group."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words, file = shlex.split(entry["command"]), pathlib.Path(entry["file"])
        if file.parent.name == "Unity":
            for line in file.read_text().splitlines():
                if line.startswith("#include"):
                    commands[line.split('"')[1]] = (words, entry["file"])
        else:
            commands.setdefault(entry["file"], (words, entry["file"]))
    found = {}
    for file, (words, compiled) in commands.items():
        if file.startswith(f"{root}/"):
            found[file[len(str(root)) + 1:]] = [file if word == compiled else word for word in words]
    return found


def clang_tidy():
    return shutil.which("clang-tidy-19") or shutil.which("clang-tidy", path="/usr/lib/llvm-19/bin")


# What only gcc or the code generator understands.
DROPPED = {"-flto", "-fno-stack-protector"}


def lint(tool, root, file, words):
    """What clang-tidy says of one file."""
    arguments = [word for word in words[1:] if word not in DROPPED and not word.startswith("-fpass-plugin")]
    if "-o" in arguments:
        place = arguments.index("-o")
        del arguments[place:place + 2]
    done = subprocess.run([tool, "--quiet", str(root / file), "--", *arguments], cwd=root, capture_output=True,
                          text=True)
    said = [line for line in done.stdout.splitlines() if ": error:" in line or ": warning:" in line]
    if done.returncode and not said:
        return [f"{file}: {done.stderr.strip()}"]
    # Headers of other folders, as include/heddle, are not judged.
    return [line.removeprefix(f"{root}/") for line in said if line.startswith(tuple(f"{root}/{top}" for top in LINTED))]


def main():
    root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    tool = clang_tidy()
    if tool is None:
        print("no clang-tidy-19: nothing is checked")
        sys.exit(77)
    commands = commands_of(root, build)
    names = [name for name in sys.argv[3:] if not name.startswith("--")]
    every = "--all" in sys.argv
    wanted = names or ([str(path) for path in tree_files(root)] if every else changed_files(root))
    files = [name for name in wanted if name in commands and name.startswith(LINTED)]
    left_out = [] if every or names else files[FILES_MAX:]
    files = files[:len(files) - len(left_out)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda file: lint(tool, root, file, commands[file]), files))
    problems = sorted({line for lines in found for line in lines})
    print("\n".join([*problems, f"{len(files)} files checked" + (f", {len(left_out)} left out: --all checks them"
                                                                 if left_out else "")]))
    sys.exit(bool(problems))


main()
