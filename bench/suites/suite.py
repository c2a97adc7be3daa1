"""What a suite of another project is: tests that are built twice, natively and with Heddle, and run by a command."""
import dataclasses
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
BUILD_SECONDS_MAX = 900


@dataclasses.dataclass(frozen=True)
class Variant:
    """A way to compile."""
    name: str
    cc: str
    cxx: str


@dataclasses.dataclass
class Test:
    name: str
    source: pathlib.Path
    flags: list = dataclasses.field(default_factory=list)
    arguments: list = dataclasses.field(default_factory=list)


class BuildFailed(Exception):
    pass


def compiled(command, folder):
    try:
        done = subprocess.run(list(map(str, command)), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=BUILD_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        raise BuildFailed(f"{BUILD_SECONDS_MAX} s have passed")
    if done.returncode != 0:
        raise BuildFailed(done.stdout[-2000:])


class Suite:
    """INVARIANT: `folder` is outside of the tree; everything that is fetched and built is in it."""
    name = ""           # on the command line and in file names
    title = ""          # in tables
    package = ""        # Debian's source package
    jobs_max = None     # tests at a time; 1 if they use the same ports
    left_out_list = ""  # a file beside this one: tests that do not count, a line each with the reason

    def __init__(self, folder):
        self.folder = folder

    def fetch(self):
        raise NotImplementedError

    def tests(self):
        """REQUIRES: fetched."""
        raise NotImplementedError

    def prepare(self, variant):
        """Builds what all tests need."""

    def build(self, test, variant, program):
        raise NotImplementedError

    def helpers(self, test, program):
        """Commands of processes that the test talks to; they run natively."""
        return []

    def beside(self):
        """What a test expects in the folder where it runs."""
        return ()

    def built(self, test, variant):
        """The program, built once."""
        program = self.folder / "programs" / variant.name / test.name.replace("/", "_").replace(" ", "_")
        if not program.exists():
            program.parent.mkdir(parents=True, exist_ok=True)
            self.build(test, variant, program)
        return program

    def left_out(self):
        """{test: reason}, by hand: tests that assert real time or real parallelism, that are wrong themselves, or are
        about calls that are refused by design."""
        lines = (HERE / self.left_out_list).read_text().splitlines() if self.left_out_list else []
        return dict(line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))
