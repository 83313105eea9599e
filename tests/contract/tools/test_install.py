"""The packages are distributions of their own, and the tools need nothing."""

import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser

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
    done = subprocess.run(pip, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = (copy / "out").glob("*.whl")
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of the tools."""
    return make_wheel("looplab", tmp_path_factory.mktemp("tools"))


def modules(name):
    return {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / name).rglob("*")
        if path.suffix == ".py" or path.name in DATA
    }


@pytest.mark.parametrize("name", ["looplab", "ontime"])
def test_a_wheel_holds_its_package_and_nothing_else(name, tmp_path):
    path = make_wheel(name, tmp_path)
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    assert {file.split("/")[0] for file in names} == {name, f"{name}-0.1.0.dist-info"}
    inside = {file for file in names if file.startswith(f"{name}/")}
    assert inside == modules(name) | {f"{name}/py.typed"}


def test_the_tools_are_small(wheel):
    assert wheel.stat().st_size <= MOST_BYTES
    with zipfile.ZipFile(wheel) as archive:
        rest = [
            file.compress_size
            for file in archive.infolist()
            if file.filename.split("/")[1] not in LARGE
        ]
    assert len(rest) > 30
    assert sum(rest) <= MOST_BYTES_OF_THE_REST


def test_the_tools_need_nothing(wheel):
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read("looplab-0.1.0.dist-info/METADATA").decode()
    metadata = Parser().parsestr(text)
    needs = metadata.get_all("Requires-Dist") or []
    assert all("extra ==" in need for need in needs)
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"


def test_it_imports_with_nothing_else_installed(wheel):
    """In an interpreter that sees the wheel and the standard library only."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import looplab;"
        "assert looplab.__file__.startswith(sys.argv[1]), looplab.__file__;"
        "import asyncio; looplab.run(asyncio.sleep(3600));"
        "print(sorted({m.partition('.')[0] for m in sys.modules}"
        " - sys.stdlib_module_names - {'__main__', 'looplab'}))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(wheel)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
