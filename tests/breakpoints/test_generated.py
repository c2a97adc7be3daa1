#!/usr/bin/env python3
"""From a failing clip to a patch that compiles with plain g++ and fails natively, while the repaired twin with the same
breakpoints passes. usage: test_generated.py BUILD RUNS KERNEL... | all"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench"))
from sections import generated  # noqa: E402

BUILD, RUNS, KERNELS = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
WANTED = 15  # of all kernels
ALL = sorted(path.parent.name for path in (generated.ROOT / "kernels").glob("*/kernel.cpp"))


class Generated(unittest.TestCase):
    def test_the_patched_kernel_fails_and_its_twin_passes(self):
        chains = [generated.try_kernel(BUILD, kernel, RUNS) for kernel in (ALL if KERNELS == ["all"] else KERNELS)]
        held = sum(chain.holds() for chain in chains)
        self.assertGreaterEqual(held, WANTED if KERNELS == ["all"] else len(KERNELS))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
