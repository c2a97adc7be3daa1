#!/usr/bin/env python3
"""Subjects of commits: `area: imperative`, at most 72 characters, no full stop at the end. Merges and reverts keep the
subject that Git gives them. Judged are the commits since SINCE; in a tree without Git, or whose history does not reach
back to it, there is nothing to judge.

usage: check_commits.py ROOT | check_commits.py --message FILE   (as the hook tools/hooks/commit-msg)"""
import pathlib
import re
import subprocess
import sys

SINCE = "eae363c359dc63d4d8a0f162495af93b3b0ae813"  # commits up to this one are not judged
SUBJECT_MAX = 72
# Verbs that end as a past or continuous form does.
IMPERATIVES = {"embed", "exceed", "feed", "need", "proceed", "seed", "shed", "shred", "speed", "succeed", "weed",
               "bring", "ping", "ring", "sing", "spring", "string", "swing"}


def problems_of(subject):
    if re.match(r"Merge |Revert \"|fixup! |squash! ", subject):
        return []
    problems = []
    if len(subject) > SUBJECT_MAX:
        problems.append(f"{len(subject)} characters: at most {SUBJECT_MAX}")
    if subject.endswith("."):
        problems.append("no full stop at the end")
    # One area or several: "shrink: ...", "graph, coredump: ...", "host/run: ...".
    match = re.match(r"[a-z][\w./+-]*(?:, [a-z][\w./+-]*)*: (\S+)", subject)
    if not match:
        problems.append("the form is 'area: imperative', as 'shrink: terminate parked threads'")
    elif match[1][0].isupper():
        problems.append(f"'{match[1]}' begins with a capital after the area")
    elif match[1] not in IMPERATIVES and re.search(r"[a-z](ed|ing)$", match[1]):
        problems.append(f"'{match[1]}' is not an imperative: say what the commit does, as 'add' or 'remove'")
    return problems


def git(root, *words):
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)


def judge_message(file):
    subject = next((line for line in pathlib.Path(file).read_text().splitlines() if line and not line.startswith("#")),
                   "")
    return [f"commit subject: {problem}\n  {subject}" for problem in problems_of(subject)]


def judge_history(root, since=SINCE):
    if git(root, "merge-base", "--is-ancestor", since, "HEAD").returncode != 0:
        print(f"no commits to judge: no Git, or a history without {since[:7]}")
        return []
    lines = git(root, "log", "--no-merges", "--format=%h %s", f"{since}..HEAD").stdout.splitlines()
    print(f"{len(lines)} commits since {since[:7]}")
    return [f"{line}\n  {problem}" for line in lines for problem in problems_of(line.split(" ", 1)[1])]


def main():
    problems = judge_message(sys.argv[2]) if sys.argv[1] == "--message" else judge_history(pathlib.Path(sys.argv[1]),
                                                                                           *sys.argv[2:])
    print("\n".join(problems))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
