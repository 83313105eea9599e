"""The packages are distributions of their own, and the tools need nothing."""

import shutil
import subprocess
import sys
import zipfile

import pytest

from tools.common import ROOT

MOST_BYTES = 340_000  # of the wheel of the tools
LARGE = {"diagnose", "lint", "priority"}  # rooms that only their own commands load
MOST_BYTES_OF_THE_REST = 120_000  # the clock, the tracer and what they are used with
DATA = {"player.html", "rules.md", "service.jsonl.gz"}  # what a module reads beside it


def make_wheel(name, folder):
    """The wheel that pip would install, built from a copy of the sources."""
    skip = shutil.ignore_patterns("__pycache__", "*.egg-info", "dist")
    copy = shutil.copytree(ROOT / "src" / name, folder / name, ignore=skip)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    pip += ["--no-index", "--no-build-isolation", "--wheel-dir", "out", "."]
    subprocess.run(pip, cwd=copy, check=True)
    (path,) = (copy / "out").glob("*.whl")
    return path


@pytest.mark.parametrize("name", ["looplab", "ontime"])
def test_a_wheel_holds_its_package_and_nothing_else(name, tmp_path):
    sources = (ROOT / "src" / name).rglob("*")
    modules = {f for f in sources if f.suffix == ".py" or f.name in DATA}
    wanted = {f.relative_to(ROOT / "src").as_posix() for f in modules}
    with zipfile.ZipFile(make_wheel(name, tmp_path)) as archive:
        names = set(archive.namelist())
    inside = {file for file in names if file.startswith(f"{name}/")}
    assert inside == wanted | {f"{name}/py.typed"}
    assert {file.split("/")[0] for file in names} == {name, f"{name}-0.1.0.dist-info"}


def test_the_tools_are_small_and_need_nothing(tmp_path):
    """Imported by an interpreter that sees the wheel and the standard library only."""
    wheel = make_wheel("looplab", tmp_path)
    assert wheel.stat().st_size <= MOST_BYTES
    with zipfile.ZipFile(wheel) as archive:
        files = archive.infolist()
    rest = [f.compress_size for f in files if f.filename.split("/")[1] not in LARGE]
    assert sum(rest) <= MOST_BYTES_OF_THE_REST
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import looplab;"
        "assert looplab.__file__.startswith(sys.argv[1]), looplab.__file__;"
        "import asyncio; looplab.run(asyncio.sleep(3600));"
        "print(sorted({m.partition('.')[0] for m in sys.modules}"
        " - sys.stdlib_module_names - {'__main__', 'looplab'}))"
    )
    command = [sys.executable, "-I", "-S", "-c", code, str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")
