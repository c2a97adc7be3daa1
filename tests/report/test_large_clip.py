#!/usr/bin/env python3
"""A clip of more than a million events: its report contains a window of it, so the report is small and opens
quickly."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from test_browser import start_browser

HEDDLE = os.environ["HEDDLE"]
KERNELS = pathlib.Path(os.environ["KERNELS"])
EVENTS_MIN = 1_000_000
OPENED_MS_MAX = 2_000
PAGE_BYTES_MAX = 500_000
PAINTED = """
const done = arguments[0];
requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0));
"""


class LargeClip(unittest.TestCase):
    def heddle(self, *words, codes):
        done = subprocess.run([HEDDLE, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=900)
        self.assertIn(done.returncode, codes, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_the_report_opens_within_two_seconds(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            clip = folder / "large.clip"
            run = self.heddle("run", "--json", "--strategy", "random", "--quantum", "100000", "--seed", "1", "--clip",
                              clip,
                              "--", KERNELS / "Account/kernel", "2", "40000", codes=(1,))
            self.assertGreater(run["events"], EVENTS_MIN)
            self.heddle("explain", "--json", "--html", folder / "html", "--time", "20s", clip, codes=(0,))
            page = next(path for path in (folder / "html").glob("*.html") if path.name != "index.html")
            self.assertLess(page.stat().st_size, PAGE_BYTES_MAX)
            browser = start_browser()
            self.addCleanup(browser.quit)
            browser.get("about:blank")
            browser.get(page.as_uri())
            opened_ms = browser.execute_async_script(PAINTED)
            print(f"{run['events']} events, {page.stat().st_size} bytes, opened in {opened_ms:.0f} ms")
            self.assertLess(opened_ms, OPENED_MS_MAX)


if __name__ == "__main__":
    unittest.main()
