#!/usr/bin/env python3
"""Comments, documents, messages and names of tests use none of the words of tools/words.txt. Data, code in documents
and quotations (lines that begin with `>`) are not judged. Files of tools/words_excepted.txt may still have some; each
of them must.

usage: check_words.py ROOT [--count | --write-exceptions | FILE...]"""
import collections
import pathlib
import re
import sys

from source_text import judge_with_exceptions, kind_of, prose_of, tree_files


def read_words(text):
    """[(compiled pattern, what to write instead)]"""
    rules = [line.rsplit(" => ", 1) for line in text.splitlines() if line and not line.startswith("#")]
    return [(re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in rules]


def hits_in(words, path, text):
    """(line, words found, what to write instead)"""
    found = []
    for piece in prose_of(path, text):
        for pattern, instead in words:
            for match in pattern.finditer(piece.text):
                if not match.groupdict().get("fine"):
                    found.append((piece.line_at(match.start()), " ".join(match[0].split()), instead))
    return sorted(set(found))


def main():
    root, arguments = pathlib.Path(sys.argv[1]), sys.argv[2:]
    names = [name for name in arguments if not name.startswith("--")]
    words = read_words((root / "tools/words.txt").read_text())
    hits, total = {}, collections.Counter()
    for path in map(pathlib.PurePath, names) if names else tree_files(root):
        if kind_of(path) is None:
            continue
        found = hits_in(words, path, (root / path).read_text())
        if found:
            hits[path] = [f"{path}:{number}: '{what}': write {instead}" for number, what, instead in found]
            total["/".join(path.parts[:2]) if path.parts[0] in {"src", "tests", "docs"} and len(path.parts) > 2
                  else path.parts[0]] += len(found)
    if "--count" in arguments:
        print("\n".join(f"{count:6} {folder}" for folder, count in sorted(total.items())) +
              f"\n{sum(total.values()):6} in all")
        return
    problems = [line for lines in hits.values() for line in lines] if names else \
        judge_with_exceptions(root, "words_excepted.txt", hits, "--write-exceptions" in arguments)
    print("\n".join(problems) or f"no word of tools/words.txt outside of the {len(hits)} excepted files")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
