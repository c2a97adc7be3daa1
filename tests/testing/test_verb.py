#!/usr/bin/env python3
"""heddle test on a GoogleTest binary: statuses, clips, JUnit and SARIF files."""
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree

import jsonschema

HEDDLE = pathlib.Path(os.environ["HEDDLE"])
SAMPLE = os.environ["SAMPLE"]
REPAIRED = os.environ["REPAIRED"]
PLAIN = os.environ["PLAIN"]
REPEATED = os.environ["REPEATED"]
SCHEMAS = pathlib.Path(__file__).parent.parent / "schemas"
DONE, FOUND, USAGE, UNCONTROLLED = 0, 1, 2, 3

# name: status; Process.NeverEnds, which takes as long as it may, has a run of its own
EXPECTED = {
    "Account.StartsEmpty": "passed",
    "Account.LosesADeposit": "failed",
    "Account.LockedByTheTest": "passed",
    "Locks.TakenInBothOrders": "deadlock",
    "Locks.LostWakeup": "deadlock",
    "Crash.NullPublishedTooEarly": "crashed",
    "Process.KillsItself": "crashed",
    "Process.ExitsAsIfAllWereWell": "failed",
    "Process.WritesHundredMegabytes": "passed",
    "Skips.ByItself": "skipped",
    "Skips.DISABLED_ByName": "skipped",
    "Few/Sizes.NeverNegative/0": "passed",
    "Few/Sizes.NeverNegative/1": "passed",
}
FAILING = {name for name, status in EXPECTED.items() if status not in ("passed", "skipped")}
WITHOUT_CLIP = {"Process.ExitsAsIfAllWereWell"}  # no schedule of it fails: it ends with 0


def heddle(*words, **options):
    return subprocess.run([HEDDLE, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, timeout=500, check=False, **options)


def line_of(text):
    """The line of the sample's source that holds `text`."""
    source = pathlib.Path(__file__).with_name("sample_gtest.cpp").read_text().splitlines()
    return next(number for number, line in enumerate(source, 1) if text in line)


class Case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def document(self, code, *words):
        done = heddle("test", "--json", "--quiet", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)


def junit_cases(path):
    """The test cases by name, of a file that is valid."""
    subprocess.run([os.environ["XMLLINT"], "--noout", "--schema", SCHEMAS / "junit.xsd", path], check=True,
                   stderr=subprocess.PIPE)
    return {f"{case.get('classname')}.{case.get('name')}": case
            for case in xml.etree.ElementTree.parse(path).iter("testcase")}


def sarif_results(path):
    """The results by test, of a file that is valid."""
    document = json.loads(path.read_text())
    schema = json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text())
    jsonschema.Draft7Validator(schema).validate(document)
    return {result["properties"]["test"]: result for result in document["runs"][0]["results"]}


class EveryEnd(Case):
    """One run over all tests, and all of its reports."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.out = pathlib.Path(scratch.name)
        cls.words = ("--runs", 40, "--seed", 7)
        cls.done = heddle("test", "--json", *cls.words, "--out", cls.out / "clips", "--junit", cls.out / "junit.xml",
                          "--sarif", cls.out / "found.sarif", "--", SAMPLE, "--gtest_filter=-*.NeverEnds")
        cls.report = json.loads(cls.done.stdout)
        cls.tests = {test["name"]: test for test in cls.report["tests"]}

    def test_each_test_has_its_status(self):
        self.assertEqual({name: test["status"] for name, test in self.tests.items()}, EXPECTED, self.done.stderr)
        self.assertEqual(self.done.returncode, FOUND)

    def test_the_seed_is_printed_before_the_run(self):
        self.assertIn("seed 7", self.done.stderr.splitlines()[0])

    def test_passing_tests_had_all_their_schedules(self):
        for name, status in EXPECTED.items():
            if status == "passed":
                self.assertEqual(self.tests[name]["schedules"], 40, name)

    def test_each_failing_test_leaves_a_clip_of_its_name(self):
        kept = {path.name for path in (self.out / "clips").iterdir()}
        self.assertEqual(kept, {f"{name}.clip" for name in FAILING - WITHOUT_CLIP})

    def test_the_printed_command_replays_the_failure(self):
        environment = {**os.environ, "PATH": f"{HEDDLE.parent}:{os.environ['PATH']}"}
        for name in FAILING - WITHOUT_CLIP:
            words = shlex.split(self.tests[name]["replay"])
            words[2:2] = ["--json"]
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, check=False)
            self.assertEqual(done.returncode, DONE, f"{name}: {done.stdout}")
            replayed = json.loads(done.stdout)
            self.assertEqual(replayed["verdict"], "reproduced", name)
            self.assertEqual(replayed["outcome"]["signature"], self.tests[name]["signature"], name)

    def test_a_failed_expectation_is_reported_with_its_place(self):
        test = self.tests["Account.LosesADeposit"]
        self.assertEqual(test["line"], line_of("EXPECT_EQ(account.balance(), 3) <<"))
        self.assertIn("account.balance()", test["message"])

    def test_the_junit_file_says_the_same(self):
        cases = junit_cases(self.out / "junit.xml")
        words = {"passed": set(), "failed": {"failure"}, "deadlock": {"failure"}, "crashed": {"error"},
                 "skipped": {"skipped"}}
        for name, status in EXPECTED.items():
            children = {child.tag for child in cases[name]} - {"system-out"}
            self.assertEqual(children, words[status], name)
            if name in FAILING:
                self.assertIn(self.tests[name]["replay"], cases[name].findtext("system-out"))
        self.assertEqual(len(cases), len(EXPECTED))

    def test_the_sarif_file_has_every_failure_with_its_place(self):
        results = sarif_results(self.out / "found.sarif")
        self.assertEqual(set(results), FAILING)
        for name, result in results.items():
            place = result["locations"][0]["physicalLocation"]
            self.assertTrue(place["artifactLocation"]["uri"].endswith("sample_gtest.cpp"), f"{name}: {place}")
        deadlock = results["Locks.TakenInBothOrders"]
        lines = {place["physicalLocation"]["region"]["startLine"] for place in deadlock["relatedLocations"]}
        self.assertTrue({line_of("inner(b)"), line_of("inner(kRepaired")} <= lines, deadlock)
        flows = results["Account.LosesADeposit"]["codeFlows"][0]["threadFlows"]
        self.assertIn(line_of("balance_ = before + amount"),
                      {step["location"]["physicalLocation"]["region"]["startLine"]
                       for flow in flows for step in flow["locations"]})

    def test_the_same_seed_gives_the_same_result_on_any_number_of_jobs(self):
        again = heddle("test", "--json", *self.words, "--jobs", 1, "--out", self.folder, "--", SAMPLE,
                       "--gtest_filter=Account.*:Locks.*:Crash.*")
        tests = json.loads(again.stdout)["tests"]
        self.assertTrue(tests)
        for test in tests:
            before = self.tests[test["name"]]
            for key in ("status", "signature", "kind", "schedule_index", "message"):
                self.assertEqual(test[key], before[key], test["name"])
            if test["clip"]:
                self.assertEqual(pathlib.Path(test["clip"]).read_text(), pathlib.Path(before["clip"]).read_text())


class SelectedTests(Case):
    def names(self, report):
        return [test["name"] for test in report["tests"]]

    def test_the_filter_is_passed_on(self):
        report = self.document(DONE, "--runs", 5, "--", SAMPLE, "--gtest_filter=Account.*-*Loses*")
        self.assertEqual(self.names(report), ["Account.StartsEmpty", "Account.LockedByTheTest"])

    def test_a_disabled_test_that_is_asked_for_is_run(self):
        report = self.document(FOUND, "--runs", 5, "--out", self.folder, "--", SAMPLE, "--gtest_filter=Skips.DISABLED*",
                               "--gtest_also_run_disabled_tests")
        self.assertEqual(report["tests"][0]["status"], "failed")

    def test_a_test_that_never_ends_is_stopped_and_leaves_a_clip(self):
        report = self.document(FOUND, "--runs", 5, "--timeout", "2s", "--out", self.folder, "--", SAMPLE,
                               "--gtest_filter=Process.NeverEnds")
        self.assertEqual(report["tests"][0]["status"], "timeout")
        done = heddle("replay", "--timeout", "2s", report["tests"][0]["clip"])
        self.assertEqual(done.returncode, DONE, done.stderr)

    def test_a_filter_that_matches_nothing_is_refused(self):
        done = heddle("test", "--", SAMPLE, "--gtest_filter=Nothing.*")
        self.assertEqual(done.returncode, USAGE, done.stderr)

    def test_a_program_without_googletest_is_one_test(self):
        report = self.document(FOUND, "--runs", 500, "--out", self.folder, "--", PLAIN)
        self.assertEqual(self.names(report), [pathlib.Path(PLAIN).name])
        self.assertEqual(report["tests"][0]["clip"], str(self.folder / (pathlib.Path(PLAIN).name + ".clip")))

    def test_tests_that_no_time_is_left_for_are_skipped(self):
        report = self.document(DONE, "--time", "1ms", "--", SAMPLE, "--gtest_filter=Account.*")
        first = report["tests"][0]  # its share of the time is none
        self.assertEqual((first["status"], first["schedules"]), ("skipped", 0))

    def test_a_program_that_is_not_instrumented_is_refused(self):
        done = heddle("test", "--", "/bin/true")
        self.assertEqual(done.returncode, UNCONTROLLED, done.stderr)

    def test_a_file_that_cannot_be_written_is_refused_before_the_run(self):
        for option in ("--junit", "--sarif"):
            done = heddle("test", option, self.folder / "missing" / "file", "--", SAMPLE)
            self.assertEqual(done.returncode, USAGE, done.stderr)


class InProcess(Case):
    def tests(self, *words):
        report = self.document(FOUND, "--runs", 600, "--seed", 2, "--out", self.folder, *words, "--", REPEATED)
        return {test["name"]: test for test in report["tests"]}

    def test_bodies_are_repeated_inside_the_process(self):
        tests = self.tests("--in-process")
        self.assertEqual({name: test["status"] for name, test in tests.items()},
                         {"Repeated.Locked": "passed", "Repeated.LosesACount": "failed",
                          "Repeated.IsRunInOneProcess": "failed", "Plain.RunsOnce": "passed"})
        self.assertEqual(tests["Repeated.Locked"]["schedules"], 600)
        self.assertIn("sum", tests["Repeated.LosesACount"]["message"])

    def test_a_failure_leaves_a_clip_of_one_run(self):
        clip = self.tests("--in-process")["Repeated.LosesACount"]["clip"]
        done = heddle("replay", "--times", 3, clip)
        self.assertEqual(done.returncode, DONE, done.stderr)

    def test_without_the_option_every_body_has_its_process(self):
        tests = self.tests()
        self.assertEqual({name: test["status"] for name, test in tests.items()},
                         {"Repeated.Locked": "passed", "Repeated.LosesACount": "failed",
                          "Repeated.IsRunInOneProcess": "passed", "Plain.RunsOnce": "passed"})


class StoredClips(Case):
    def setUp(self):
        super().setUp()
        self.program = self.folder / "program"
        self.clips = self.folder / "clips"
        shutil.copy(SAMPLE, self.program)
        report = self.document(FOUND, "--runs", 100, "--seed", 3, "--out", self.clips, "--", self.program,
                               "--gtest_filter=Account.*:Locks.*:Crash.*")
        self.found = {test["clip"] for test in report["tests"] if test["clip"]}
        self.assertEqual(len(self.found), 4, report)

    def verdicts(self, report):
        return {entry["clip"]: entry["verdict"] for entry in report["clips"]}

    def test_the_same_program_still_fails(self):
        junit = self.folder / "junit.xml"
        report = self.document(FOUND, "--clips", self.clips, "--junit", junit)
        self.assertEqual(self.verdicts(report), {clip: "reproduced" for clip in self.found})
        self.assertTrue(all(entry["exact"] for entry in report["clips"]))
        self.assertTrue(all(case.find("failure") is not None for case in junit_cases(junit).values()))

    def test_a_repaired_program_in_its_place_is_fixed(self):
        self.program.unlink()
        shutil.copy(REPAIRED, self.program)
        self.check_repaired(self.document(DONE, "--clips", self.clips))

    def check_repaired(self, report):
        """If a repair removes the place of a preemption, there is no verdict; no clip may still fail."""
        verdicts = list(self.verdicts(report).values())
        self.assertEqual(len(verdicts), len(self.found))
        self.assertNotIn("reproduced", verdicts, report)
        self.assertGreaterEqual(verdicts.count("fixed"), len(verdicts) // 2, report)

    def test_a_program_that_is_named_takes_the_clips_arguments(self):
        self.check_repaired(self.document(DONE, "--clips", self.clips, "--", REPAIRED))

    def test_a_damaged_clip_has_no_verdict_and_hides_no_other(self):
        broken = self.clips / "aaa.clip"
        whole = pathlib.Path(sorted(self.found)[0]).read_text()
        broken.write_text(whole[:len(whole) // 2])
        report = self.document(FOUND, "--clips", self.clips)
        self.assertEqual(self.verdicts(report), {**{clip: "reproduced" for clip in self.found},
                                                 str(broken): "no_verdict"})
        for clip in self.found:
            pathlib.Path(clip).unlink()
        self.document(UNCONTROLLED, "--clips", self.clips)

    def test_a_folder_without_clips_is_refused(self):
        (self.folder / "empty").mkdir()
        self.assertEqual(heddle("test", "--clips", self.folder / "empty").returncode, USAGE)


class CutShort(Case):
    """Killed while an endless test runs: the files have what was found before."""

    def end_by(self, number):
        junit = self.folder / "junit.xml"
        sarif = self.folder / "found.sarif"
        process = subprocess.Popen([HEDDLE, "test", "--quiet", "--runs", "200", "--timeout", "0", "--out",
                                    self.folder / "clips", "--junit", junit, "--sarif", sarif, "--", SAMPLE,
                                    "--gtest_filter=Account.LosesADeposit:Locks.*:Process.NeverEnds"],
                                   stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 200
            while not (junit.exists() and sarif.exists() and len(junit_cases(junit)) == len(sarif_results(sarif)) == 3):
                self.assertIsNone(process.poll())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=100), -number)
        finally:
            process.kill()
            process.wait()
        found = {"Account.LosesADeposit", "Locks.TakenInBothOrders", "Locks.LostWakeup"}
        self.assertEqual(set(junit_cases(junit)), found)
        self.assertEqual(set(sarif_results(sarif)), found)
        report = self.document(FOUND, "--clips", self.folder / "clips")
        self.assertEqual({entry["verdict"] for entry in report["clips"]}, {"reproduced"})
        self.assertEqual(len(report["clips"]), 3)

    def test_by_a_kill(self):
        self.end_by(signal.SIGKILL)

    def test_by_an_interrupt(self):
        self.end_by(signal.SIGINT)


if __name__ == "__main__":
    unittest.main()
