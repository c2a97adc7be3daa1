#!/usr/bin/env python3
"""A path that a document names in backticks or a link exists in the tree."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
TOP = {"src", "include", "kernels", "bench", "tests", "docs", "tools", "cmake"}
missing = []
documents = [p for p in root.glob("*.md")] + [p for p in (root / "docs").rglob("*.md")]
for document in sorted(documents):
    for number, line in enumerate(document.read_text().splitlines(), 1):
        for name in re.findall(r"`([\w./*-]+)`", line) + re.findall(r"\]\(([\w./-]+)\)", line):
            if name.split("/")[0] not in TOP or "/" not in name:
                continue
            if not any(root.glob(name.rstrip("/"))):
                missing.append(f"{document.relative_to(root)}:{number}: {name} does not exist")
print("\n".join(missing) or "every path named in the documents exists")
sys.exit(bool(missing))
