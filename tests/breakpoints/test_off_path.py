#!/usr/bin/env python3
"""A function that is inlined without breakpoints is also inlined with them. usage: test_off_path.py NM OBJECT"""
import subprocess
import sys

nm, compiled = sys.argv[1:]
symbols = [line.split()[-1] for line in subprocess.run([nm, compiled], capture_output=True, text=True,
                                                       check=True).stdout.splitlines()]
left = [symbol for symbol in symbols if "change_balance" in symbol]
print("\n".join(left) or "it was inlined")
sys.exit(bool(left) or not any("change_often" in symbol for symbol in symbols))
