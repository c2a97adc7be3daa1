#!/usr/bin/env python3
import os
import pathlib
import re
import subprocess
import unittest

from cli_case import DONE, CliCase

SOURCE = os.environ["SOURCE"]


def commit_in(path):
    """What a file that cmake/HeddleCommit.cmake has written says."""
    text = pathlib.Path(path).read_text()
    return re.search(r'kCommit = "(.*)"', text)[1], re.search(r"kCommitModified = (\w+)", text)[1] == "true"


class Version(CliCase):
    def test_the_document_names_build_and_requirements(self):
        report = self.document(DONE, "version")
        self.assertEqual(report["version"], os.environ["VERSION"])
        self.assertEqual(report["clang"], os.environ["CLANG_VERSION"])
        for key in ("glibc", "glibc_running"):
            self.assertRegex(report[key], r"^2\.\d+")

    def test_the_commit_is_that_of_the_build(self):
        commit, modified = commit_in(os.environ["COMMIT_FILE"])
        report = self.document(DONE, "version")
        self.assertEqual((report["commit"], report["modified"]), (commit, modified) if commit else (None, None))

    def test_option_and_verb_print_the_same_and_the_second_word_is_the_version(self):
        texts = [self.heddle(word).stdout for word in ("version", "--version")]
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(texts[0].split()[:2], ["heddle", os.environ["VERSION"]])
        report = self.document(DONE, "version")
        for part in (report["commit"] or "commit unknown", report["clang"], report["glibc"]):
            self.assertIn(part, texts[0])
        self.assertEqual("modified" in texts[0].splitlines()[0], bool(report["modified"]))


class CommitFile(CliCase):
    """cmake/HeddleCommit.cmake by itself."""

    def write(self, tree, program="git"):
        output = self.folder / "commit.cpp"
        subprocess.run(["cmake", f"-DSOURCE_DIR={tree}", f"-DGIT={program}", f"-DOUTPUT={output}", "-P",
                        f"{SOURCE}/cmake/HeddleCommit.cmake"], check=True)
        return *commit_in(output), output

    def repository(self):
        tree = self.folder / "tree"
        (tree / "inner").mkdir(parents=True)
        (tree / "file").write_text("one\n")
        for words in (["init", "-q"], ["add", "file"],
                      ["-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "-m", "one"],
                      ["tag", "v1"]):
            subprocess.run(["git", "-C", tree, *words], check=True)
        return tree

    def test_a_changed_tree_is_marked(self):
        tree = self.repository()
        head = subprocess.run(["git", "-C", tree, "rev-parse", "HEAD"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        commit, modified, _ = self.write(tree)
        self.assertTrue(len(commit) >= 10 and head.startswith(commit), commit)
        self.assertFalse(modified)
        (tree / "file").write_text("two\n")
        self.assertEqual(self.write(tree)[:2], (commit, True))

    def test_a_file_that_says_the_same_is_left_alone(self):
        tree = self.repository()
        output = self.write(tree)[2]
        os.utime(output, (1, 1))
        self.assertEqual(self.write(tree)[2].stat().st_mtime, 1)

    def test_without_git_there_is_no_commit(self):
        tree = self.repository()
        (self.folder / "plain").mkdir()
        for place, program in ((tree, ""), (self.folder / "plain", "git"), (tree / "inner", "git")):
            self.assertEqual(self.write(place, program)[:2], ("", False), (place, program))


if __name__ == "__main__":
    unittest.main()
