"""`pip install .` installs looplab alone: no dependency, and nothing else."""

import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser

import pytest

from tools.common import ROOT

FILES = ("LICENSE", "README.md", "pyproject.toml")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that pip would install, built from a copy of the sources."""
    copy = tmp_path_factory.mktemp("project")
    for name in FILES:
        shutil.copy(ROOT / name, copy)
    skip = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", copy / "src", ignore=skip)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    pip += ["--no-index", "--no-build-isolation", "--wheel-dir", "out", "."]
    done = subprocess.run(pip, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = (copy / "out").glob("*.whl")
    return path


def test_it_holds_looplab_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"looplab", "looplab-0.1.0.dist-info"}
    here = {p.relative_to(ROOT / "src") for p in (ROOT / "src/looplab").rglob("*.py")}
    assert {str(path.as_posix()) for path in here} | {"looplab/py.typed"} <= set(names)


def test_it_needs_nothing(wheel):
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read("looplab-0.1.0.dist-info/METADATA").decode()
    metadata = Parser().parsestr(text)
    needs = metadata.get_all("Requires-Dist")
    assert all("extra ==" in need for need in needs)
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    assert set(metadata.get_all("Provides-Extra")) >= {"book", "figures", "test"}


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
