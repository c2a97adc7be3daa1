#!/usr/bin/env python3
"""Makes the Debian package and looks at what is in it."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

from package_files import problems_of

parser = argparse.ArgumentParser()
parser.add_argument("--cpack", required=True)
parser.add_argument("--build", type=pathlib.Path, required=True)
args = parser.parse_args()
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([args.cpack, "--config", args.build / "CPackConfig.cmake", "-B", folder], check=True, cwd=args.build)
    package = next(pathlib.Path(folder).glob("*.deb"))
    listing = subprocess.run(["dpkg-deb", "--contents", package], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split(maxsplit=5) for line in listing.splitlines()]
    # Mode, owner, size, date, time, name.
    files = {row[5].removeprefix("./usr/"): int(row[2]) for row in rows}
    sys.exit("\n".join(problems_of(files)) or 0)
