"""What the tests of the command line share."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

HEDDLE = os.environ["HEDDLE"]
FAKE_PROGRAM = os.environ["FAKE_PROGRAM"]
KERNELS = pathlib.Path(os.environ["KERNELS"])

DONE, FOUND, USAGE, UNCONTROLLED = 0, 1, 2, 3


class CliCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def heddle(self, *words, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([HEDDLE, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace", timeout=120, **options)

    def document(self, code, *words, **options):
        """The JSON document of a command that must end with `code`."""
        done = self.heddle(words[0], "--json", *words[1:], **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def refused(self, code, *words):
        """Runs a command that must be refused: one line on stderr, nothing on stdout."""
        done = self.heddle(*words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("heddle: "))

    def failing_clip(self, *arguments):
        clip = self.folder / "failure.clip"
        self.document(FOUND, "run", "--seed", 5, "--clip", clip, "--", FAKE_PROGRAM, *(arguments or ("assert",)))
        return clip
