#!/usr/bin/env python3
"""Types the commands of a document, in its order, and compares what comes with what it says. Programs are the
```c blocks, saved under the name that the text before them gives. In the output "..." stands for anything, within a
line and as a line; times are not compared. Commands for a debugger are left out: they are typed into it, not into a
shell."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ENVIRONMENT = {**os.environ, "PATH": os.environ["TOOLS"] + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8"}


def blocks(text):
    """(language, content, the text before it)"""
    at = 0
    for block in re.finditer(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S):
        yield block[1], block[2], text[at:block.start()]
        at = block.end()


def commands(content):
    """(command, expected lines)"""
    for part in re.split(r"^\$ ", content, flags=re.M)[1:]:
        command, *expected = part.rstrip("\n").split("\n")
        yield command, expected


def line_pattern(line):
    pattern = re.escape(re.sub(r"\d+\.\d+ s\b", "TIME s", line)).replace(re.escape("..."), ".*")
    return pattern.replace("TIME", r"\d+\.\d+")


def matches(expected, printed):
    pattern = "".join("(?:.*\n)*?" if line.strip() == "..." else line_pattern(line) + "\n" for line in expected)
    return re.fullmatch(pattern, printed) is not None


def main(document):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for language, content, before in blocks(pathlib.Path(document).read_text()):
            if language == "c":
                name = re.findall(r"`(\w+\.c)`", before)[-1]
                (pathlib.Path(folder) / name).write_text(content)
                continue
            for command, expected in commands(content):
                if command.startswith("heddle debug"):
                    continue
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
                printed = done.stdout
                if not matches(expected, printed):
                    problems.append(f"$ {command}\n--- the document says\n" + "\n".join(expected) +
                                    f"\n--- it prints\n{printed}")
    print("\n\n".join(problems) or "the document is right")
    return bool(problems)


sys.exit(main(sys.argv[1]))
