#!/usr/bin/env python3
"""heddle hunt: the bug, its cause, its reports."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import tomllib
import unittest
import xml.etree.ElementTree

HEDDLE = os.environ["HEDDLE"]
KERNELS = pathlib.Path(os.environ["KERNELS"])
SOURCES = pathlib.Path(os.environ["KERNEL_SOURCES"])


class HuntCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def hunt(self, code, program, *options, time="10s"):
        done = subprocess.run([HEDDLE, "hunt", "--json", "--time", time, "--out", self.folder / "out", *options, "--",
                               program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=600)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)


class Kernels(HuntCase):
    def check(self, kernel):
        expected = tomllib.loads((SOURCES / kernel / "expect.toml").read_text())
        report = self.hunt(1, KERNELS / kernel / "kernel", "--first")
        bug = report["bugs"][0]
        self.assertIn(bug["kind"], {expected["kind"], *expected.get("also", [])})
        cause = bug["cause"]
        self.assertEqual(cause["kind"], expected["cause_kind"], cause["text"])
        self.assertGreaterEqual(len({access["thread"] for access in cause["accesses"]}), 2, cause["text"])
        self.assertLessEqual({access["line"] for access in cause["accesses"]}, set(expected["lines"]), cause["text"])
        self.assertLessEqual(bug["shrunk"]["preemptions"], expected["depth"])
        self.assertTrue(pathlib.Path(bug["report"]).is_file())
        self.assertTrue(pathlib.Path(report["index"]).is_file())
        self.assertIn(pathlib.Path(bug["report"]).name, pathlib.Path(report["index"]).read_text())
        replayed = subprocess.run([HEDDLE, "replay", "--quiet", bug["clip"]], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
        self.assertEqual(replayed.returncode, 0)


class Twin(HuntCase):
    def test_nothing_is_reported(self):
        report = self.hunt(0, KERNELS / "BankAcct" / "fixed", time="3s")
        self.assertEqual(report["bugs"], [])
        self.assertGreater(report["schedules"], 0)
        self.assertIsNone(report["index"])


class Interrupted(HuntCase):
    def test_what_was_found_is_reported(self):
        hunting = subprocess.Popen([HEDDLE, "hunt", "--json", "--time", "10m", "--out", self.folder / "out", "--",
                                    KERNELS / "Account" / "kernel"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        pages = self.folder / "out"
        try:
            while not (pages / "index.html").exists() and hunting.poll() is None:
                try:
                    hunting.wait(0.05)
                except subprocess.TimeoutExpired:
                    pass
            hunting.send_signal(signal.SIGINT)
            document, _ = hunting.communicate(timeout=300)
        finally:
            if hunting.poll() is None:
                hunting.kill()
        self.assertEqual(hunting.returncode, -signal.SIGINT)
        report = json.loads(document)
        self.assertTrue(report["interrupted"])
        self.assertTrue(report["bugs"])
        self.assertTrue(pathlib.Path(report["bugs"][0]["report"]).is_file())


class Documents(HuntCase):
    def test_junit_and_sarif_tell_the_same(self):
        junit, sarif = self.folder / "hunt.xml", self.folder / "hunt.sarif"
        report = self.hunt(1, KERNELS / "Account" / "kernel", "--first", "--junit", junit, "--sarif", sarif)
        bug = report["bugs"][0]
        case = xml.etree.ElementTree.parse(junit).getroot().find(".//testcase")
        self.assertEqual(case.get("name"), bug["signature"])
        self.assertIsNotNone(case.find("failure"))
        log = json.loads(sarif.read_text())
        result = log["runs"][0]["results"][0]
        lines = {place["physicalLocation"]["region"]["startLine"] for place in result["relatedLocations"]}
        self.assertLessEqual({access["line"] for access in bug["cause"]["accesses"]}, lines)
        self.assertTrue(result["codeFlows"])
        try:
            import jsonschema
        except ImportError:
            self.fail("python3-jsonschema is missing; ./dev setup installs it")
        schema = json.loads((pathlib.Path(os.environ["SCHEMAS"]) / "sarif-schema-2.1.0.json").read_text())
        jsonschema.validate(log, schema)


    def test_the_whole_run_and_a_ranking_are_there_when_asked_for(self):
        program = KERNELS / "Account" / "kernel"
        subprocess.run([HEDDLE, "graph", "collect", "--quiet", "--runs", "12", "--out", self.folder / "graphs", "--",
                        program],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=300)
        report = self.hunt(1, program, "--first", "--perfetto", "--graphs", self.folder / "graphs")
        bug = report["bugs"][0]
        events = json.loads(pathlib.Path(bug["perfetto"]).read_text())["traceEvents"]
        threads = {event["tid"] for event in events if event.get("ph") == "X"}
        self.assertGreaterEqual(len(threads), 3)
        page = pathlib.Path(bug["report"]).read_text()
        begin = page.index('id="data">') + len('id="data">')
        ranking = json.loads(page[begin:page.index("</script>", begin)])["ranking"]
        self.assertEqual([point["rank"] for point in ranking], list(range(1, len(ranking) + 1)))
        self.assertTrue(any(point["in_cause"] for point in ranking), ranking)

    def test_each_phase_leaves_a_line(self):
        done = subprocess.run([HEDDLE, "hunt", "--first", "--time", "10s", "--out", self.folder / "out", "--",
                               KERNELS / "Account" / "kernel"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=600)
        phases = [line.removeprefix("heddle: ").split(":")[0] for line in done.stderr.splitlines()]
        for phase in ("explore", "shrink", "explain"):
            self.assertIn(phase, phases, done.stderr)


def add_test(kernel):
    setattr(Kernels, "test_" + kernel.replace("-", "_"), lambda self: self.check(kernel))


for name in os.environ["HUNTED_KERNELS"].split(","):
    add_test(name)

if __name__ == "__main__":
    unittest.main()
