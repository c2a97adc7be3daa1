"""What the checks of text share: the files of the tree, the prose in a file, and lists of excepted files."""
import bisect
import io
import pathlib
import re
import subprocess
import tokenize

# Data, not text of this project: files of version 1, inputs of tests, tables of papers, schemas of others.
DATA = ("tests/golden/", "tests/data/", "tests/schemas/", "tests/fuzz/seeds/", "bench/papers/", "LICENSE")
C_SUFFIXES = {".cpp", ".h", ".c", ".S", ".def", ".inc", ".js", ".css"}


def tree_files(root):
    """Paths relative to `root` of the files under version control; of all files outside build folders if there is no
    Git."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        names = listed.stdout.split("\0")
    else:
        names = [str(path.relative_to(root)) for path in root.rglob("*")
                 if not re.match(r"(build[^/]*|\.git|heddle-out)/|.*__pycache__", str(path.relative_to(root)))]
    return sorted(pathlib.PurePath(name) for name in names if name and (root / name).is_file())


def is_data(path):
    return str(path).startswith(DATA) and path.name != "CMakeLists.txt" and path.suffix not in {".cpp", ".py"}


def kind_of(path):
    """c, python, shell, cmake, markdown, html, toml, or None: not text to judge."""
    if is_data(path):
        return None
    if path.name == "CMakeLists.txt" or path.suffix == ".cmake":
        return "cmake"
    if path.suffix in C_SUFFIXES or path.name.endswith(".cpp.in"):
        return "c"
    by_suffix = {".py": "python", ".sh": "shell", ".md": "markdown", ".html": "html", ".toml": "toml"}
    return "shell" if str(path) in {"dev", ".ci/run"} else by_suffix.get(path.suffix)


class Prose:
    """A piece of text of a file: its lines joined by single spaces, and the number of the line at each offset."""

    def __init__(self):
        self.text, self.begins, self.numbers = "", [], []

    def add(self, number, text):
        if self.text and not self.text.endswith(" "):
            self.text += " "
        for offset, line in enumerate(text.split("\n")):
            self.begins.append(len(self.text))
            self.numbers.append(number + offset)
            self.text += line.strip() + " "

    def line_at(self, offset):
        return self.numbers[bisect.bisect_right(self.begins, offset) - 1]


C_TOKEN = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"'
                     r'|"(?P<string>(?:\\.|[^"\\\n])*)"'
                     r"|(?<!\w)'(?:\\.|[^'\\\n])+'|(?P<other>[^\s\w\"'/]+|\w+|\S)", re.S)
TEST_NAME = re.compile(r"\bTEST(?:_[FP])?\(\w+,\s*(\w+)\)|\bdef (test_\w+)")


def pieces_of(tokens):
    """(kind, line, text) -> pieces: what follows each other without code in between is one."""
    pieces, last = [], None
    for kind, number, text in tokens:
        if kind == "code":
            last = None
            continue
        if kind != last:
            pieces.append(Prose())
        pieces[-1].add(number, text)
        last = kind
    return pieces


def c_tokens(text):
    begins = [0] + [match.end() for match in re.finditer("\n", text)]
    for match in C_TOKEN.finditer(text):
        number = bisect.bisect_right(begins, match.start())
        if match["comment"] is not None:
            yield "comment", number, re.sub(r"^\s*(//+|/\*+|\*/|\*(?!\*))|\*/$", "", match["comment"], flags=re.M)
        elif match["raw"] is not None or match["string"] is not None:
            yield "string", number, (match["raw"] or match["string"] or "").replace("\\n", " ").replace('\\"', '"')
        elif match["other"] is not None:
            yield "code", number, ""


def python_tokens(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield "comment", token.start[0], token.string.lstrip("#!")
        elif token.type == tokenize.STRING:
            body = re.sub(r"^\w*('''|\"\"\"|'|\")|('''|\"\"\"|'|\")$", "", token.string)
            formatted = "f" in re.match(r"\w*", token.string)[0].lower()
            yield "string", token.start[0], re.sub(r"\{[^{}]*\}", "{}", body) if formatted else body
        elif token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            yield "code", token.start[0], ""


def hash_tokens(text):
    """Comments from `#` to the end of the line, and quoted strings."""
    for number, line in enumerate(text.splitlines(), 1):
        comment = re.search(r"(?:^|\s)#(.*)", line)
        for string in re.findall(r'"([^"]*)"', line[:comment.start()] if comment else line):
            yield "code", number, ""
            yield "string", number, string
        yield ("comment", number, comment[1]) if comment else ("code", number, "")


def shell_tokens(text):
    for number, line in enumerate(text.splitlines(), 1):
        yield "line", number, line.lstrip("# ")


def markdown_tokens(text):
    """Without code, addresses of links, and quotations."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced or line.startswith((">", "```", "<")) or not line.strip():
            yield "code", number, ""
            continue
        if re.match(r"\s*([-*|#]|\d+\.)", line):
            yield "code", number, ""  # each item, row and heading by itself
        yield "text", number, re.sub(r"`[^`]*`", "`code`", re.sub(r"\]\([^)]*\)", "]", line))


def html_tokens(text):
    blank = re.sub(r"(?s)<(script|style)\b.*?</\1>|<[^>]*>|\{\{.*?\}\}", lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    for number, line in enumerate(blank.splitlines(), 1):
        yield "line", number, line


TOKENS = {"c": c_tokens, "python": python_tokens, "cmake": hash_tokens, "toml": hash_tokens, "shell": shell_tokens,
          "markdown": markdown_tokens, "html": html_tokens}


def test_names(text):
    """(line, sentence) of each test."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in TEST_NAME.finditer(line):
            yield number, (match[1] or match[2]).replace("_", " ")


def prose_of(path, text):
    """All pieces of prose in a file. A string of one or two words is data."""
    kind = kind_of(path)
    if kind is None:
        return []
    tokens = list(TOKENS[kind](text))
    pieces = [piece for piece in pieces_of(tokens) if len(piece.text.split()) > 2]
    for number, sentence in test_names(text) if kind in {"c", "python"} else ():
        pieces.append(Prose())
        pieces[-1].add(number, sentence)
    return pieces


def judge_with_exceptions(root, list_name, hits, rewrite):
    """`hits`: {file: [lines to print]}. The list names the files that may still have some; each of them must. Returns
    the problems."""
    listed_in = root / "tools" / list_name
    if rewrite:
        listed_in.write_text("".join(f"{path}\n" for path in sorted(map(str, hits))))
    listed = [line for line in listed_in.read_text().splitlines() if line] if listed_in.exists() else []
    problems = [line for path in sorted(hits, key=str) if str(path) not in listed for line in hits[path]]
    found = set(map(str, hits))
    problems += [f"tools/{list_name}: {name} has no hits: remove it" for name in listed if name not in found]
    if listed != sorted(set(listed)):
        problems.append(f"tools/{list_name} is not sorted, or names a file twice")
    return problems
