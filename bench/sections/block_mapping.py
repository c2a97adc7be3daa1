"""Whether an address of a production build leads to the right block. The truth is what the code generator itself says:
in assembly it names, for each machine block, the block of the optimised code that it was made from. The numbers of the
blocks are put into these names, a label into the assembly at the beginning of each machine block, and the program is
made from that."""
import bisect
import pathlib
import re
import subprocess
import tempfile

from .measure import table
from .packages import quietly
from .production import bzip2_sources, lua_sources

# ".LBB3_7:   # %heddle.b12" or, if it is not the target of a jump, "# %bb.7:   # %heddle.b12".
MACHINE_BLOCK = re.compile(r"(?:\.LBB\d+_\d+|# %bb\.\d+):(?:\s+#(?P<comment>.*))?$")
BLOCK = re.compile(r"heddle\.b(\d+)")
LABEL = "heddle_truth"
INTRO = """For every call and every memory access of the program: the block that `heddle-verify` finds for its
address, compared with the block from which the code generator made that machine code, by its own record. Machine
blocks that the code generator added have no such record and are left out; a machine block on an edge may belong to
either end.
"""


class Labels:
    """A label for each machine block, with the blocks that it may belong to."""

    def __init__(self):
        self.count, self.blocks = 0, {}

    def add_to(self, assembly):
        lines = []
        for line in assembly.read_text("latin-1").split("\n"):
            lines.append(line)
            begin = MACHINE_BLOCK.match(line)
            if not begin:
                continue
            name = re.search(r"%(\S+)", begin["comment"] or "")
            # What was put on an edge ("heddle.b3.heddle.b5_crit_edge") belongs to either end.
            self.blocks[f"{LABEL}_{self.count}"] = {int(number) for number in BLOCK.findall(name[1])} if name else set()
            lines.append(f"{LABEL}_{self.count}:")
            self.count += 1
        assembly.write_text("\n".join(lines), "latin-1")


def build_labelled(build, name, sources, flags, folder):
    labels, parts = Labels(), []
    for source in sources:
        part = folder / f"{name}.{source.stem}.s"
        quietly([build / "bin/heddle-cc", "-S", "-O2", "-g", "-fno-discard-value-names", *flags, source, "-o", part],
                folder, HEDDLE_BUILD="production", HEDDLE_NAME_BLOCKS="1")
        labels.add_to(part)
        parts.append(part)
    program = folder / f"{name}.labelled"
    quietly([build / "bin/heddle-cc", *parts, "-o", program, "-lm", "-ldl"], folder, HEDDLE_BUILD="production")
    return program, labels.blocks


def addresses_of(program, blocks):
    listed = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    found = sorted((int(words[0], 16), blocks[words[2]]) for words in map(str.split, listed.splitlines())
                   if len(words) == 3 and words[2] in blocks)
    return [address for address, _ in found], [truth for _, truth in found]


def check(build, name, sources, flags, folder):
    program, blocks = build_labelled(build, name, sources, flags, folder)
    begins, truths = addresses_of(program, blocks)
    points = folder / f"{name}.points"
    quietly([build / "bin/heddle-verify", program, "--points", points], folder)
    tally = {kind: {"all": 0, "right": 0, "wrong": 0, "unknown": 0, "unnamed": 0} for kind in ("call", "access")}
    for line in points.read_text().splitlines():
        address, kind, *_, block = line.split()
        of_kind = tally[kind]
        truth = truths[bisect.bisect_right(begins, int(address, 16)) - 1]
        of_kind["all"] += 1
        of_kind["unnamed" if not truth else "unknown" if block == "-1" else "right"
                if int(block) in truth else "wrong"] += 1
    return tally


def block_mapping(build, rounds):
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name, (sources, flags) in {"bzip2": bzip2_sources(folder), "lua": lua_sources(folder)}.items():
            for kind, of_kind in check(build, name, sources, flags, folder).items():
                named = of_kind["all"] - of_kind["unnamed"]
                rows.append((name, {"call": "call sites", "access": "memory accesses"}[kind], of_kind["all"],
                             f"{100 * of_kind['right'] / named:.2f} %", of_kind["wrong"], of_kind["unknown"],
                             of_kind["unnamed"]))
    return "\n\n".join([
        "## The production build: addresses and blocks",
        INTRO.strip(),
        table(["program", "instructions", "all", "right block", "wrong", "no block", "left out"], rows),
    ])


SECTIONS = {"block_mapping": block_mapping}
