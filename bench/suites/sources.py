"""Debian source packages: the machine's own package sources, asked for sources by a private apt configuration. What is
fetched goes to a folder outside of the tree; the machine's lists stay as they are."""
import pathlib
import re
import shutil
import subprocess


def apt_options(folder):
    parts = folder / "apt"
    parts.mkdir(parents=True, exist_ok=True)
    for listed in pathlib.Path("/etc/apt/sources.list.d").glob("debian*.sources"):
        (parts / listed.name).write_text(re.sub(r"^Types: deb$", "Types: deb-src", listed.read_text(), flags=re.M))
    (folder / "lists/partial").mkdir(parents=True, exist_ok=True)
    options = ["-qq", "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={parts}",
               "-o", f"Dir::State::lists={folder / 'lists'}", "-o", "APT::Sandbox::User=root"]
    if not any((folder / "lists").glob("*Sources*")):
        subprocess.run(["apt-get", *options, "update"], check=True)
    return options


def download(package, folder):
    """The original archive of a package."""
    folder.mkdir(parents=True, exist_ok=True)
    archives = [path for path in folder.glob(f"{package}_*.orig.tar.*") if path.suffix != ".asc"]
    if not archives:
        subprocess.run(["apt-get", *apt_options(folder.parent), "source", "--download-only", package], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)
        archives = [path for path in folder.glob(f"{package}_*.orig.tar.*") if path.suffix != ".asc"]
    return archives[0]


def unpacked(package, folder):
    """The source with Debian's changes. Unpacked once."""
    source = folder / package / "source"
    if not source.exists():
        archive = download(package, folder / package)
        description = next(archive.parent.glob("*.dsc"))
        subprocess.run(["dpkg-source", "--no-check", "-x", description.name, source.name], cwd=archive.parent,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return source


def unpacked_part(package, folder, inner, pattern):
    """The files that match `pattern`, of the archive `inner` in the original archive. Unpacked once."""
    source = folder / package / "source"
    if not source.exists():
        archive = download(package, folder / package)
        scratch = folder / package / "scratch"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        subprocess.run(["tar", "xf", archive, "-C", scratch, "--wildcards", inner], check=True)
        archive = next(path for path in scratch.rglob("*") if path.is_file())
        (scratch / "source").mkdir()
        subprocess.run(["tar", "xf", archive, "-C", scratch / "source", "--strip-components=1", "--wildcards",
                        pattern], check=True)
        (scratch / "source").rename(source)
        shutil.rmtree(scratch)
    return source
