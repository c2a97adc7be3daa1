"""heddle graph on real programs: collecting, damaged files, unions, rankings, monitoring."""
import json
import os
import pathlib
import sys
import unittest
from xml.etree import ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from cli_case import DONE, FOUND, KERNELS, UNCONTROLLED, USAGE, CliCase  # noqa: E402


class GraphCase(CliCase):
    def part(self, code, part, *words):
        return self.document(code, "graph", part, "--quiet", *words)

    def collect(self, kernel, *options, program="kernel"):
        out = self.folder / kernel
        report = self.part(DONE, "collect", "--out", out, *options, "--", KERNELS / kernel / program)
        return out, report

    def shown(self, path):
        return self.part(DONE, "show", path)


class Collecting(GraphCase):
    def test_labels_every_run_by_its_outcome(self):
        out, report = self.collect("BankAcct", "--runs", 40)
        files = sorted(out.glob("*.hgraph"))
        self.assertEqual(report["runs"], 40)
        self.assertEqual(len(files), 40)
        self.assertGreater(report["failing_runs"], 0)
        self.assertEqual(sum("failing" in file.name for file in files), report["failing_runs"])
        self.assertLess(report["largest_file_bytes"], 1 << 20)
        for file in files[:5]:
            self.assertEqual(self.shown(file)["label"], "failing" if "failing" in file.name else "passing")

    def test_the_same_seed_gives_the_same_graphs(self):
        first, _ = self.collect("BankAcct", "--runs", 6)
        again = self.folder / "again"
        self.part(DONE, "collect", "--out", again, "--runs", 6, "--", KERNELS / "BankAcct" / "kernel")
        for file in sorted(first.glob("*.hgraph")):
            self.assertEqual(file.read_bytes(), (again / file.name).read_bytes())

    def test_a_run_continues_after_it_destroys_a_primitive_in_use(self):
        for model in ("sw", "hw"):
            with self.subTest(model=model):
                out, _ = self.collect("PBZip2-Order", "--strategy", "pos", "--failing", 6, "--runs", 400, "--model",
                                      model)
                failing = [self.shown(file) for file in sorted(out.glob("*-failing.hgraph"))]
                self.assertGreaterEqual(len(failing), 6)
                self.assertNotIn("misuse", {graph["outcome"] for graph in failing})

    def test_keeps_the_requested_number_of_passing_and_failing_runs(self):
        _, report = self.collect("BankAcct", "--passing", 3, "--failing", 2)
        self.assertEqual((report["graphs"], report["failing_graphs"]), (5, 2))

    def test_the_graph_of_a_run_equals_the_graph_of_its_trace(self):
        for options in ([], ["--granularity", "line"], ["--events", "readers"], ["--context", 8]):
            with self.subTest(options=options):
                trace, recorded = self.folder / "run.htrace", self.folder / "recorded.hgraph"
                on_line = self.folder / "-".join(["on_line", *map(str, options)])
                # The thread engine starts a process for each run, and round-robin has one schedule for all seeds.
                common = ["--engine", "thread", "--strategy", "round-robin"]
                # Long enough for edges that reach the limit of their count.
                program = [KERNELS / "Moz-jsStr" / "kernel", 4, 600, 20]
                self.part(DONE, "collect", *common, "--runs", 1, "--out", on_line, *options, "--", *program)
                self.heddle("run", "--quiet", *common, "--record", trace, "--", *program)
                self.part(DONE, "collect", "--trace", trace, "--out", recorded, *options)
                graph, expected = self.shown(next(on_line.glob("*.hgraph"))), self.shown(recorded)
                self.assertGreater(len(graph["edges"]), 10)
                for part in ("sites", "nodes", "edges"):
                    self.assertEqual(graph[part], expected[part])

    def test_makes_a_graph_of_a_trace(self):
        trace = self.folder / "run.htrace"
        self.heddle("run", "--quiet", "--seed", 3, "--record", trace, "--", KERNELS / "BankAcct" / "kernel")
        report = self.part(DONE, "collect", "--trace", trace, "--out", self.folder / "one.hgraph")
        self.assertGreater(report["edges"], 0)
        hardware = self.part(DONE, "collect", "--model", "hw", "--trace", trace, "--out", self.folder / "hw.hgraph")
        self.assertGreater(hardware["edges"], 0)

    def test_the_hardware_model_counts_its_misses(self):
        _, report = self.collect("BankAcct", "--runs", 3, "--model", "hw")
        counted = report["hardware"]
        self.assertEqual(counted["metadata_writes"],
                         counted["read_misses"] + counted["write_misses"] + counted["coherence_misses"])

    def test_native_runs_leave_graphs_even_if_they_crash(self):
        _, report = self.collect("Moz-jsStr", "--native", "--runs", 2)
        self.assertEqual(report["graphs"], 2)
        self.assertGreater(report["edges"], 0)

    def test_native_and_controlled_runs_of_ordered_threads_have_the_same_graph(self):
        program = [os.environ["GRAPH_ACCESSES"], "reads", 2000]
        graphs = []
        for way in ("--native", "--strategy=round-robin"):
            out = self.folder / way
            self.part(DONE, "collect", way, "--runs", 1, "--out", out, "--", *program)
            graphs.append(self.shown(next(out.glob("*.hgraph"))))
        self.assertGreater(len(graphs[0]["edges"]), 5)
        for part in ("nodes", "edges"):
            self.assertEqual(graphs[0][part], graphs[1][part])

    def primitive_edges(self, path):
        """The edges between the mutex operations of order_on_primitives.cpp, by the comments of their lines."""
        source = (pathlib.Path(__file__).parent / "order_on_primitives.cpp").read_text().splitlines()
        graph = self.shown(path)
        line = lambda end: graph["sites"][graph["nodes"][end]["site"]]["line"]
        marks = {number: text.rpartition("// ")[2] for number, text in enumerate(source, 1) if "pthread_mutex_" in text}
        ends = [(line(edge["source"]), line(edge["sink"])) for edge in graph["edges"]]
        return {(marks[source], marks[sink]) for source, sink in ends if source in marks and sink in marks}

    def test_an_order_bug_on_a_primitive_is_an_edge(self):
        expected = {"held": {("made", "taken"), ("taken", "destroyed"), ("destroyed", "given back")},
                    "used": {("destroyed", "too late")}}
        for order, edges in expected.items():
            program = [os.environ["ORDER_ON_PRIMITIVES"], order]
            for way in (["--native"], ["--strategy=pos"], ["--strategy=pos", "--granularity=line"],
                        ["--events=readers"]):
                with self.subTest(order=order, way=way):
                    out = self.folder / "-".join([order, *way])
                    self.part(DONE, "collect", "--runs", 1, "--out", out, *way, "--", *program)
                    self.assertEqual(self.primitive_edges(next(out.glob("*.hgraph"))), edges)
        trace, recorded = self.folder / "run.htrace", self.folder / "recorded.hgraph"
        self.heddle("run", "--quiet", "--record", trace, "--", *program)
        self.part(DONE, "collect", "--trace", trace, "--out", recorded)
        self.assertEqual(self.primitive_edges(recorded), edges)

    def test_samples_transfers_or_reports_in_one_line_that_the_machine_cannot(self):
        done = self.heddle("graph", "collect", "--perf", "--runs", 1, "--out", self.folder / "g", "--",
                           KERNELS / "Moz-jsStr" / "kernel")
        if done.returncode == DONE:
            self.assertEqual(len(list((self.folder / "g").glob("*.hgraph"))), 1)
            return
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("--native", done.stderr)

    def test_refuses_a_quantum_without_round_robin(self):
        self.refused(USAGE, "graph", "collect", "--quantum", 100, "--out", self.folder / "g", "--",
                     KERNELS / "BankAcct" / "kernel")
        _, report = self.collect("BankAcct", "--runs", 1, "--strategy", "round-robin", "--quantum", 100)
        self.assertEqual(report["graphs"], 1)

    def test_refuses_a_program_that_is_not_instrumented(self):
        done = self.heddle("graph", "collect", "--out", self.folder / "g", "--", "/bin/true")
        self.assertEqual(done.returncode, UNCONTROLLED, done.stderr)


class Processing(GraphCase):
    def setUp(self):
        super().setUp()
        self.graphs, _ = self.collect("MySQL-BinLog", "--passing", 15, "--failing", 15)

    def test_ranks_the_bug_among_the_first_points_if_runs_are_labelled(self):
        points = self.part(DONE, "rank", "--labelled", self.graphs)["code_points"]
        first = [point["line"] for point in points[:3] if point["file"].endswith("MySQL-BinLog/kernel.cpp")]
        self.assertTrue({34, 58, 62} & set(first), points[:5])
        self.assertEqual([point["rank"] for point in points], list(range(1, len(points) + 1)))
        self.assertEqual(points, sorted(points, key=lambda point: point["score"]))

    def test_every_ranking_ranks(self):
        for ranking in ("paper", "paper-sum", "paper-executions", "contrast"):
            for label in ("--labelled", "--unlabelled"):
                report = self.part(DONE, "rank", label, "--ranking", ranking, self.graphs)
                self.assertEqual(report["ranking"], ranking)
                self.assertGreater(len(report["code_points"]), 0)

    def test_a_difference_of_a_run_and_all_runs_is_empty(self):
        union = self.folder / "all.hgraph"
        total = self.part(DONE, "union", "-o", union, self.graphs)
        self.assertEqual(total["runs"], 30)
        one = next(self.graphs.glob("*failing*"))
        self.assertEqual(self.part(DONE, "diff", one, union, "-o", self.folder / "none.hgraph")["edges"], 0)

    def test_a_damaged_graph_is_refused_in_one_line(self):
        file = next(self.graphs.glob("*.hgraph"))
        whole = file.read_bytes()
        for damaged in (whole[: len(whole) // 2], whole[:60] + bytes([whole[60] ^ 4]) + whole[61:], b"not a graph",
                        b""):
            file.write_bytes(damaged)
            self.refused(USAGE, "graph", "rank", self.graphs)

    def test_a_graph_of_another_build_is_refused(self):
        other, _ = self.collect("MySQL-BinLog", "--runs", 1, program="fixed")
        self.refused(USAGE, "graph", "union", "-o", self.folder / "u.hgraph", self.graphs, other)

    def test_an_empty_folder_is_refused(self):
        (self.folder / "empty").mkdir()
        self.refused(USAGE, "graph", "rank", self.folder / "empty")


class Showing(GraphCase):
    def setUp(self):
        super().setUp()
        self.graphs, _ = self.collect("MySQL-BinLog", "--passing", 5, "--failing", 5)
        self.one = next(self.graphs.glob("*failing*"))

    def test_draws_new_edges_dashed(self):
        passing = sorted(self.graphs.glob("*passing*"))
        dot = self.heddle("graph", "show", self.one, "--at", "kernel.cpp:58", "--without", *passing)
        self.assertEqual(dot.returncode, DONE, dot.stderr)
        self.assertIn("style=dashed", dot.stdout)
        drawing = self.folder / "around.svg"
        self.heddle("graph", "show", self.one, "--at", "kernel.cpp:58", "--without", *passing, "-o", drawing)
        self.assertIn("stroke-dasharray", ElementTree.tostring(ElementTree.parse(drawing).getroot(), "unicode"))

    def test_refuses_a_line_without_edges(self):
        self.refused(USAGE, "graph", "show", self.one, "--at", "kernel.cpp:1")
        self.refused(USAGE, "graph", "show", self.one, "--at", "kernel.cpp")


class Monitoring(GraphCase):
    def test_appends_findings_that_no_test_had(self):
        graphs, _ = self.collect("Moz-jsStr", "--runs", 2)
        tested, findings = self.folder / "tested.hgraph", self.folder / "findings.jsonl"
        self.part(DONE, "union", graphs, "-o", tested)
        done = self.heddle("graph", "monitor", "--json", "--quiet", "--tested", tested, "--threshold", 0, "--findings",
                           findings, "--interval", "1ms", "--", KERNELS / "Moz-jsStr" / "kernel", 4, 300, 20)
        self.assertIn(done.returncode, (DONE, FOUND), done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(done.returncode, FOUND if report["findings"] else DONE)
        self.assertEqual(len(findings.read_text().splitlines()), len(report["findings"]))

    def test_refuses_the_graph_of_another_build(self):
        graphs, _ = self.collect("Moz-jsStr", "--runs", 1)
        tested = self.folder / "tested.hgraph"
        self.part(DONE, "union", graphs, "-o", tested)
        done = self.heddle("graph", "monitor", "--quiet", "--tested", tested, "--findings", self.folder / "f", "--",
                           KERNELS / "BankAcct" / "kernel")
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertTrue(done.stderr.splitlines()[-1].startswith("heddle: the program is a graph of"), done.stderr)


if __name__ == "__main__":
    unittest.main()
