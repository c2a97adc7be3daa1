#!/usr/bin/env python3
"""Makes the Debian package and looks at what is in it."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

EXPECTED = ("./usr/bin/heddle", "./usr/bin/heddle-cc", "./usr/bin/heddle-c++", "./usr/lib/heddle/libheddle_rt.so",
            "./usr/lib/heddle/heddle_instrument.so", "./usr/lib/heddle/heddle_gdb.py")

parser = argparse.ArgumentParser()
parser.add_argument("--cpack", required=True)
parser.add_argument("--build", type=pathlib.Path, required=True)
args = parser.parse_args()
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([args.cpack, "--config", args.build / "CPackConfig.cmake", "-B", folder], check=True, cwd=args.build)
    package = next(pathlib.Path(folder).glob("*.deb"))
    listing = subprocess.run(["dpkg-deb", "--contents", package], check=True, stdout=subprocess.PIPE, text=True).stdout
    names = {line.split()[5] for line in listing.splitlines()}
    missing = [name for name in EXPECTED if name not in names]
    if missing:
        sys.exit(f"the package lacks {missing}")
