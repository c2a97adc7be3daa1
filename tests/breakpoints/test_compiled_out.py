#!/usr/bin/env python3
"""With HEDDLE_NO_BREAKPOINTS an object has neither the library's state nor its code. usage: NM OBJECT..."""
import subprocess
import sys

nm, *objects = sys.argv[1:]
symbols = subprocess.run([nm, *objects], capture_output=True, text=True, check=True).stdout
left = sorted({word for word in symbols.split() if word.startswith("heddle_bp_") and word != "heddle_bp_make"})
print("\n".join(left) or "nothing is left")
sys.exit(bool(left) or not objects)
