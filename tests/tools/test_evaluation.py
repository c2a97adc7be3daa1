#!/usr/bin/env python3
"""The documents of measurements (docs/evaluation.md, docs/evaluation/) are what bench/run.py writes: their form,
their prose, and the summary with its verdicts."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import evaluation  # noqa: E402
from sections import bars  # noqa: E402

FOLDER = ROOT / "docs/evaluation"


def words(text):
    return " ".join(text.split())


class Documents(unittest.TestCase):
    def setUp(self):
        self.sections = evaluation.read_sections(FOLDER)

    def test_every_section_has_a_page_and_a_text(self):
        listed = [name for page in evaluation.PAGES for name in page.sections]
        self.assertEqual(sorted(listed), sorted(evaluation.SECTIONS))
        self.assertEqual(sorted(self.sections), sorted(listed))

    def test_pages_and_summary_are_as_they_are_written(self):
        for page in evaluation.PAGES:
            self.assertEqual((FOLDER / f"{page.name}.md").read_text(), evaluation.page_text(page, self.sections))
        self.assertEqual((ROOT / "docs/evaluation.md").read_text(), evaluation.summary_text(self.sections))

    def test_the_prose_is_that_of_the_generators(self):
        pages = words("".join(path.read_text() for path in FOLDER.glob("*.md")))
        for module in evaluation.MODULES:
            for name, value in vars(module).items():
                # How long a search may take is asked of the environment, so its text differs by run.
                if name.endswith(("INTRO", "REASONS")) and (module.__name__, name) != ("sections.coredump", "INTRO"):
                    for paragraph in value.strip().split("\n\n"):
                        self.assertIn(words(paragraph), pages, f"{module.__name__}.{name}")


class Verdicts(unittest.TestCase):
    def test_a_bar_is_met_or_missed(self):
        for value, limit, met in (("1.01x", "<= 1.1x", True), ("1.11x", "<= 1.1x", False), ("1,974", ">= 1,500", True),
                                  ("58 of 60", ">= 90 %", True), ("50 of 60", ">= 90 %", False),
                                  ("6 of 6", "all", True),
                                  ("5 of 6", "all", False), ("0", "0", True), ("1 Jigsaw", "0", False),
                                  ("13 of 13", "13 of 13", True), ("12 of 13", "13 of 13", False),
                                  ("+27.6 % / +31.1 %", "<= 40 %", True), ("-0.3 %", "<= 0 %", True)):
            self.assertEqual(bars.Measured("", value, limit).met(), met, f"{value} {limit}")

    def test_figures_are_read_from_tables(self):
        text = "| a | b | b |\n|---|---|---|\n| x | 1.5 | 3 of 3 |\n| y | 2.5 | 2 of 3 |\n\nMemory: 7 MB.\n"
        self.assertEqual(bars.cell("b", "y")(text), "2.5")
        self.assertEqual(bars.largest("b")(text), "2.5")
        self.assertEqual(bars.largest("b", where=lambda row: row["a"] == "x")(text), "1.5")
        self.assertEqual(bars.smallest("b")(text), "1.5")
        self.assertEqual(bars.count("b 2", bars.all_equal("b 2"))(text), "1 of 2")
        self.assertEqual(bars.said(r"Memory: (\d+ MB)")(text), "7 MB")

    def test_a_row_that_was_not_measured_misses_the_bar(self):
        text = "| a | b |\n|---|---|\n| x | 1.5 |\n| y |  |\n"
        measured = bars.Bar("b", "<= 2", bars.largest("b")).measured(text)
        self.assertEqual(measured.value, "not measured in 1 of 2 rows")
        self.assertFalse(measured.met())
        self.assertFalse(bars.Bar("c", "<= 2", bars.largest("c")).measured(text).met())

    def test_a_run_with_another_hash_is_not_equal(self):
        self.assertFalse(bars.all_equal("b")({"b": "3 of 3, another hash"}))


if __name__ == "__main__":
    unittest.main()
