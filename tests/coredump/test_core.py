#!/usr/bin/env python3
"""heddle core: from native crashes to clips."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from cli_case import DONE, FOUND, USAGE, CliCase  # noqa: E402

BINARIES = pathlib.Path(os.environ["CORE_PROGRAMS"])
CRASH_LIBRARY = os.environ["CRASH_LIBRARY"]
DAMAGED_CORES = os.environ["DAMAGED_CORES"]
VERIFY = os.environ["HEDDLE_VERIFY"]


def function_bytes(path, name):
    """The machine code of a function, by the symbol table of its ELF file."""
    data = path.read_bytes()
    sections_at, = struct.unpack_from("<Q", data, 40)
    row_bytes, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, sections_at + i * row_bytes) for i in range(count)]
    for _, kind, _, _, offset, size, link, _, _, entry_bytes in sections:
        if kind != 2:  # SHT_SYMTAB
            continue
        names_at = sections[link][4]
        for at in range(offset, offset + size, entry_bytes):
            name_at, _, _, section, value, length = struct.unpack_from("<IBBHQQ", data, at)
            if data[names_at + name_at:].split(b"\0", 1)[0] == name.encode():
                begin = value - sections[section][3] + sections[section][4]
                return data[begin:begin + length]
    raise LookupError(f"{path} has no function {name}")


def loops_of(report):
    """Functions and counts of the loops of an index."""
    return [(entry["function"].split("(")[0], entry["count"]) for entry in report["index"] if entry["kind"] == "loop"]


class Core(CliCase):
    def crash(self, name, **environment):
        """Runs the production build natively until it crashes."""
        core = self.folder / f"{name}.core"
        subprocess.run([BINARIES / f"{name}.production"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=60, env={**os.environ, "LD_PRELOAD": CRASH_LIBRARY, "HEDDLE_CRASH_CORE": str(core),
                                        **environment})
        self.assertTrue(core.exists())
        return core

    def analyse(self, code, core, name, *words):
        return self.document(code, "core", "--quiet", core, "--program", BINARIES / f"{name}.production", "--out",
                             self.folder / "out", *words, "--", BINARIES / f"{name}.branches")

    def test_the_index_of_recursion_and_nested_loops_is_exact(self):
        report = self.analyse(DONE, self.crash("nested"), "nested")
        loops = loops_of(report)
        self.assertEqual(loops, [("main", 0), ("rec", 1), ("rec", 2), ("rec", 3), ("mid", 4), ("mid", 6), ("walk", 37)])
        functions = [entry["function"].split("(")[0] for entry in report["index"] if entry["kind"] == "function"]
        self.assertEqual(functions, ["main", "rec", "rec", "rec", "mid", "walk"])
        self.assertTrue(report["outcome"]["signature"].startswith("signal SIGSEGV nested.cpp:"))
        # It crashes in every order, so no schedule is tried, and the clip's run fails at the index of the core.
        self.assertEqual(report["tries"], 0)
        self.assertTrue(report["found"]["index_matches"])

    def test_counts_of_loops_with_unused_start_values_are_exact(self):
        report = self.analyse(DONE, self.crash("starts"), "starts")
        self.assertEqual(loops_of(report), [("relax", 7), ("relax_row", 23)])
        self.assertTrue(report["found"]["index_matches"])
        # The count of every loop can be read, and the loop without calls and accesses has no extra code.
        done = subprocess.run([VERIFY, BINARIES / "starts.production"], capture_output=True, check=True)
        verified = json.loads(done.stdout)
        self.assertEqual(verified["accesses"]["counted"], verified["accesses"]["in_loops"])
        self.assertEqual(verified["calls"]["counted"], verified["calls"]["in_loops"])
        self.assertEqual(function_bytes(BINARIES / "starts.production", "_Z11highest_bitj"),
                         function_bytes(BINARIES / "starts.plain", "_Z11highest_bitj"))

    def test_figure_1(self):
        core = self.crash("figure1", GATE="on")
        report = self.analyse(DONE, core, "figure1", "--sync-only")
        self.assertEqual(report["thread"], "0.1")
        self.assertEqual([entry["count"] for entry in report["index"] if entry["kind"] == "loop"], [1])
        self.assertEqual(report["aligned"]["kind"], "closest")
        source = (pathlib.Path(__file__).parent / "figure1.cpp").read_text().splitlines()
        self.assertIn("diverges here", source[report["aligned"]["diverging_line"] - 1])
        self.assertIn("x", [variable["path"] for variable in report["critical"]])
        self.assertEqual(report["tries"], 1)
        self.assertEqual(report["found"]["match"], "signature")
        self.assertTrue(report["found"]["index_matches"])
        replayed = self.document(DONE, "replay", "--times", 20, report["clip"])
        self.assertEqual(replayed["reproduced_runs"], 20)

    def test_all_searches_find_figure_1(self):
        core = self.crash("figure1", GATE="on")
        tries = {search: self.analyse(DONE, core, "figure1", "--search", search, "--sync-only")["tries"]
                 for search in ("dependence", "temporal", "chess")}
        # The lightest schedule fails. CHESS tries it after many schedules that pass.
        self.assertEqual((tries["dependence"], tries["temporal"]), (1, 1))
        self.assertGreater(tries["chess"], 10)

    def test_gdb_can_read_the_core_of_the_aligned_point(self):
        report = self.analyse(DONE, self.crash("figure1", GATE="on"), "figure1", "--keep-aligned-core")
        if shutil.which("gdb") is None:
            self.skipTest("no gdb")
        shown = subprocess.run(["gdb", "-nx", "-batch", "-ex", "print x", "-ex", "bt", BINARIES / "figure1.branches",
                                report["aligned"]["core"]], capture_output=True, text=True, timeout=60)
        self.assertIn("$1 = 1", shown.stdout)
        self.assertIn("T1", shown.stdout)

    def test_bad_input_is_refused_in_one_line(self):
        core = self.crash("nested")
        production, branches = BINARIES / "nested.production", BINARIES / "nested.branches"
        whole = core.read_bytes()
        cut = self.folder / "cut"
        cut.write_bytes(whole[:len(whole) // 2])
        compressed = self.folder / "core.zst"
        compressed.write_bytes(b"\x28\xb5\x2f\xfd" + whole[:1000])
        text = self.folder / "text"
        text.write_text("no core\n")
        stripped = self.folder / "stripped"
        subprocess.run(["strip", "-g", "-o", stripped, production], check=True)
        other = BINARIES / "figure1.production"
        for words in ((cut, "--program", production), (compressed, "--program", production),
                      (text, "--program", production), (core, "--program", other), (core, "--program", stripped),
                      (core, "--program", branches), (production, "--program", production),
                      (self.folder / "none", "--program", production)):
            with self.subTest(words):
                self.refused(USAGE, "core", *words, "--", branches)
        self.refused(USAGE, "core", core, "--program", production, "--", BINARIES / "figure1.branches")
        self.refused(USAGE, "core", core, "--program", production, "--search", "luck", "--", branches)

    def test_an_export_stands_in_for_the_core(self):
        core, export = self.crash("figure1", GATE="on"), self.folder / "crash.export"
        written = self.document(DONE, "core", core, "--program", BINARIES / "figure1.production", "--export", export)
        self.assertGreater(written["variables"], 5)
        self.assertEqual(os.stat(written["key"]).st_mode & 0o777, 0o600)
        lines = export.read_text().splitlines()
        self.assertEqual(len(lines), written["variables"] + 1)
        # Equal values have different hashes, also in another export of the same core.
        nodes = [line for line in lines if line.startswith('["nodes[')]
        self.assertEqual(len({line.split('"')[-2] for line in nodes}), len(nodes))
        again = self.folder / "again.export"
        self.document(DONE, "core", core, "--program", BINARIES / "figure1.production", "--export", again)
        self.assertNotEqual(lines[1:], again.read_text().splitlines()[1:])
        core.unlink()
        report = self.analyse(DONE, export, "figure1", "--sync-only")
        self.assertEqual(report["tries"], 1)
        self.assertIn("x", [variable["path"] for variable in report["critical"]])
        self.refused(USAGE, "core", export, "--key", again, "--program", BINARIES / "figure1.production", "--",
                     BINARIES / "figure1.branches")
        export.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:5])
        self.refused(USAGE, "core", export, "--program", BINARIES / "figure1.production", "--",
                     BINARIES / "figure1.branches")

    def test_a_program_that_reports_a_wrong_result(self):
        report = self.analyse(DONE, self.crash("wrong_output", GATE="on"), "wrong_output")
        source = (pathlib.Path(__file__).parent / "wrong_output.cpp").read_text().splitlines()
        line = next(i for i, text in enumerate(source, 1) if "heddle_report_failure(" in text)
        self.assertIn(f"wrong_output.cpp:{line}", report["outcome"]["signature"])
        self.assertIn("deposits", [variable["path"] for variable in report["critical"]])
        self.assertEqual(report["found"]["match"], "signature")
        self.assertTrue(report["found"]["index_matches"])

    def test_a_crash_that_no_sequential_order_can_reach(self):
        core = self.crash("twice_read", GATE="on")
        report = self.analyse(DONE, core, "twice_read", "--from-passing-run", "--tries", 300)
        self.assertEqual(report["found"]["match"], "signature")
        # Plain CHESS exhausts all pairs of preemptions of the sequential runs.
        plain = self.analyse(FOUND, core, "twice_read", "--from-passing-run", "--search", "chess", "--tries", 1000)
        self.assertTrue(plain["exhausted"])

    def test_a_thread_that_is_preempted_twice_and_continues_while_the_core_is_written(self):
        core = self.crash("stale_flag", GATE="on")
        report = self.analyse(DONE, core, "stale_flag", "--from-passing-run", "--tries", 1000)
        self.assertEqual(report["found"]["match"], "signature")
        replayed = self.document(DONE, "replay", "--times", 20, report["clip"])
        self.assertEqual(replayed["reproduced_runs"], 20)

    def test_alignment_by_count(self):
        core = self.crash("figure1_counted", GATE="on")
        report = self.document(DONE, "core", "--quiet", core, "--program", BINARIES / "figure1_counted.production",
                               "--out", self.folder / "out", "--align", "count", "--", BINARIES / "figure1.branches")
        self.assertGreater(report["points"], 10)
        self.assertTrue(report["clip"])
        self.refused(USAGE, "core", self.crash("figure1", GATE="on"), "--program", BINARIES / "figure1.production",
                     "--align", "count", "--", BINARIES / "figure1.branches")

    def test_damaged_cores(self):
        done = subprocess.run([DAMAGED_CORES, self.crash("nested"), BINARIES / "nested.production",
                               BINARIES / "figure1.production", os.environ["DAMAGED_CASES"]], capture_output=True,
                              text=True, timeout=1500)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
