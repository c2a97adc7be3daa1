#!/usr/bin/env python3
"""Each check of the source (tools/check_*.py) passes on a small tree that is right, and fails on the same tree with one
violation, which it names."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOLS = ROOT / "tools"
SAMPLES = pathlib.Path(__file__).resolve().parent / "samples"
# Assembled here: the check of this tree must not find them.
IDIOM = "no" + "body waits"


class Tree(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def check(self, name, *arguments, **environment):
        return subprocess.run([sys.executable, TOOLS / f"check_{name}.py", self.root, *arguments], capture_output=True,
                              text=True,
                              env={**os.environ, **environment})

    def assert_passes(self, name, *arguments):
        done = self.check(name, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def assert_finds(self, expected, name, *arguments):
        done = self.check(name, *arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(expected, done.stdout)


class Words(Tree):
    def setUp(self):
        super().setUp()
        self.write("tools/words.txt", (TOOLS / "words.txt").read_text())
        self.write("src/good.cpp",
                   f'// The thread waits.\nconst char* const kWho = "x";\nint {IDIOM.split()[0]} = 0;\n')

    def test_finds_each_sample_and_none_of_the_counterexamples(self):
        sys.path.insert(0, str(TOOLS))
        from check_words import hits_in, read_words
        words = read_words((TOOLS / "words.txt").read_text())
        for name, expected in (("unwanted.txt", True), ("wanted.txt", False)):
            for sentence in (SAMPLES / name).read_text().splitlines():
                found = hits_in(words, pathlib.PurePath("a.md"), sentence)
                self.assertEqual(bool(found), expected, f"{sentence}: {found}")

    def test_every_pattern_has_a_sample(self):
        sys.path.insert(0, str(TOOLS))
        from check_words import read_words
        text = (SAMPLES / "unwanted.txt").read_text().splitlines()
        for pattern, _ in read_words((TOOLS / "words.txt").read_text()):
            self.assertTrue(any(match and not match.groupdict().get("fine")
                            for match in map(pattern.search, text)), pattern)

    def test_code_and_identifiers_are_not_judged(self):
        self.assert_passes("words")

    def test_a_comment(self):
        self.write("src/bad.cpp", f"int x;\n// Here {IDIOM} twice.\n")
        self.assert_finds("src/bad.cpp:2", "words")

    def test_a_comment_over_two_lines(self):
        self.write("src/bad.cpp", "// It waits for\n// " + "good, or not.\n")
        self.assert_finds("src/bad.cpp:1", "words")

    def test_a_message(self):
        self.write("src/bad.cpp", f'const char* const kMessage = "here " "{IDIOM} now";\n')
        self.assert_finds("src/bad.cpp:1", "words")

    def test_the_name_of_a_test(self):
        self.write("src/bad_test.cpp", f"TEST(Bad, {IDIOM.replace(' ', '_')}_here) {{}}\n")
        self.assert_finds("src/bad_test.cpp:1", "words")

    def test_a_docstring(self):
        self.write("tools/bad.py", f'def f():\n    """Here {IDIOM}."""\n')
        self.assert_finds("tools/bad.py:2", "words")

    def test_a_document(self):
        self.write("docs/bad.md", f"# Title\n\nHere {IDIOM}.\n\n> Here {IDIOM}.\n\n```\n{IDIOM}\n```\n")
        self.assert_finds("docs/bad.md:3", "words")
        self.assertNotIn("bad.md:5", self.check("words").stdout)

    def test_an_excepted_file_must_need_its_exception(self):
        self.write("src/bad.cpp", f"// Here {IDIOM}.\n")
        self.write("tools/words_excepted.txt", "src/bad.cpp\n")
        self.assert_passes("words")
        self.write("src/bad.cpp", "// The thread waits.\n")
        self.assert_finds("src/bad.cpp has no hits", "words")


class Columns(Tree):
    def test_a_long_line_of_code(self):
        self.write("src/a.cpp", "int x;\n" + "x" * 120 + "\n")
        self.assert_passes("columns")
        self.write("src/a.cpp", "int x;\n" + "x" * 121 + "\n")
        self.assert_finds("src/a.cpp:2: 121 columns", "columns")

    def test_tables_code_and_addresses_in_documents_do_not_count(self):
        long = "a " * 100
        self.write("docs/a.md", f"| {long} |\n\n```\n{long}\n```\n\n[text]({'a' * 130})\n")
        self.assert_passes("columns")
        self.write("docs/a.md", f"{long}\n")
        self.assert_finds("docs/a.md:1", "columns")


@unittest.skipIf(shutil.which("clang-format-19") is None, "no clang-format-19")
class Format(Tree):
    def test_code_that_is_not_formatted(self):
        self.write(".clang-format", (ROOT / ".clang-format").read_text())
        self.write("src/a.cpp", "int x = 0;\n")
        self.assert_passes("format")
        self.write("src/b.cpp", "int   x=0;\n")
        self.assert_finds("src/b.cpp:1", "format")


@unittest.skipIf(not any(shutil.which("clang-tidy" + suffix, path=path) for suffix, path in
                         (("-19", None), ("", "/usr/lib/llvm-19/bin"))), "no clang-tidy-19")
class Lint(Tree):
    def test_a_finding_of_clang_tidy(self):
        self.write(".clang-tidy", (ROOT / ".clang-tidy").read_text())
        source = self.write("src/a.cpp", "int* pointer() { return nullptr; }\n")
        self.write("build/compile_commands.json",
                   f'[{{"directory": "{self.root}", "file": "{source}", "command": "clang++ -c {source} -o a.o"}}]')
        self.assert_passes("lint", self.root / "build", "--all")
        self.write("src/a.cpp", "int* pointer() { return 0; }\n")
        self.assert_finds("modernize-use-nullptr", "lint", self.root / "build", "--all")


class NamesInDocs(Tree):
    def setUp(self):
        super().setUp()
        self.write("src/a.cpp", "")
        heddle = self.write("heddle", "#!/bin/sh\n"
                            "[ $1 = --help ] && echo '  run          Run it' || echo '  --seed N   Seed'\n")
        heddle.chmod(0o755)
        self.heddle = heddle

    def test_a_path(self):
        self.write("docs/a.md", "`src/a.cpp` and [a](a.md)\n")
        self.assert_passes("names_in_docs")
        self.write("docs/a.md", "`src/b.cpp`\n")
        self.assert_finds("docs/a.md:1: src/b.cpp does not exist", "names_in_docs")

    def test_a_link_beside_the_document(self):
        self.write("docs/a.md", "\n[a](b.md)\n")
        self.assert_finds("docs/a.md:2: b.md does not exist", "names_in_docs")

    def test_a_verb(self):
        self.write("docs/a.md", "`heddle run --seed 1 -- ./a --option-of-the-program`\n")
        self.assert_passes("names_in_docs", self.heddle)
        self.write("docs/a.md", "`heddle walk`\n")
        self.assert_finds("heddle has no verb 'walk'", "names_in_docs", self.heddle)

    def test_an_option(self):
        self.write("docs/a.md", "```\nheddle run \\\n  --sead 1\n```\n")
        self.assert_finds("docs/a.md:2: 'heddle run' has no option --sead", "names_in_docs", self.heddle)

    def test_an_option_by_itself(self):
        self.write("docs/a.md", "`--sead N`\n")
        self.assert_finds("no verb has an option --sead", "names_in_docs", self.heddle)


class DeadFiles(Tree):
    def setUp(self):
        super().setUp()
        self.write("src/host/run/CMakeLists.txt", "heddle_module(run)\n")
        self.write("src/host/run/a.cpp", '#include "run/a.h"\n')
        self.write("src/host/run/a.h", "")
        self.write("tests/CMakeLists.txt", "add_test(NAME a COMMAND python3 test_a.py)\n")
        self.write("tests/test_a.py", "")

    def test_a_header_that_is_not_included(self):
        self.assert_passes("dead_files")
        self.write("src/host/run/b.h", "")
        self.assert_finds("src/host/run/b.h is not included", "dead_files")

    def test_a_test_that_is_not_registered(self):
        self.write("tests/test_b.py", "")
        self.assert_finds("tests/test_b.py is not named", "dead_files")


class FileNames(Tree):
    def test_a_name_that_is_not_snake_case(self):
        self.write("src/host/run/a_file.cpp", "")
        self.assert_passes("file_names")
        self.write("src/host/run/aFile.cpp", "")
        self.assert_finds("src/host/run/aFile.cpp", "file_names")

    def test_two_design_notes_with_one_number(self):
        self.write("docs/design/001_a.md", "")
        self.write("docs/design/001_b.md", "")
        self.assert_finds("number 001 is used twice", "file_names")


class Commits(Tree):
    def git(self, *words):
        done = subprocess.run(["git", "-C", self.root, "-c", "user.name=test", "-c", "user.email=test@localhost",
                               *words],
                              capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, message):
        self.git("commit", "-q", "--allow-empty", "--no-verify", "-m", message)

    def test_commits_since_the_base_are_judged(self):
        self.git("init", "-q")
        self.commit("Anything Before The Base.")
        base = self.git("rev-parse", "HEAD")
        self.commit("shrink: terminate parked threads")
        self.commit("graph, coredump: embed the header")
        self.assert_passes("commits", base)
        for subject, problem in (("shrink: terminate parked threads.", "no full stop"),
                                 ("Terminate threads", "area: imperative"),
                                 ("shrink: terminated threads", "not an imperative"), ("shrink: Terminate", "capital"),
                                 ("shrink: terminate " + "x" * 60, "at most 72")):
            self.commit(subject)
            self.assert_finds(problem, "commits", base)
            self.git("reset", "-q", "--hard", "HEAD~1")

    def test_a_tree_without_git_has_nothing_to_judge(self):
        self.assert_passes("commits")

    def test_the_hook_refuses_a_message(self):
        hook = TOOLS / "hooks/commit-msg"
        for subject, code in (("shrink: terminate parked threads", 0), ("Merge branch 'a'", 0), ("Shrinking.", 1)):
            message = self.write("message", f"\n# comment\n{subject}\n\nBody.\n")
            self.assertEqual(subprocess.run([hook, message], cwd=ROOT, capture_output=True).returncode, code, subject)


if __name__ == "__main__":
    unittest.main()
