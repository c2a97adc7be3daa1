"""The files of an installed Heddle, by package or by `cmake --install`."""
import pathlib

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TOOL_BYTES_MAX = 25_000_000  # debug information included: what users download and what CI caches

PROGRAMS = ("bin/heddle", "bin/heddle-cc", "bin/heddle-c++", "lib/heddle/libheddle_rt.so",
            "lib/heddle/heddle_instrument.so", "lib/heddle/heddle_gdb.py", "lib/heddle/include/assert.h",
            "lib/heddle/include/bits/c++config.h")
DOCUMENTS = (*(f"share/doc/heddle/{name}" for name in ("LICENSE", "copyright", "README.md", "CHANGELOG.md")),
             *sorted(f"share/doc/heddle/user/{page.relative_to(SOURCE / 'docs/user')}"
                     for page in (SOURCE / "docs/user").rglob("*") if page.is_file()))


def problems_of(files):
    """`files`: sizes in bytes by path below the prefix."""
    problems = [f"{name} is missing" for name in (*PROGRAMS, *DOCUMENTS) if name not in files]
    if files.get("bin/heddle", 0) > TOOL_BYTES_MAX:
        problems.append(f"bin/heddle has {files['bin/heddle']} bytes, {TOOL_BYTES_MAX} are the bound")
    return problems
