"""The packages are distributions of their own, and the tools need nothing."""

import ast
import shutil
import subprocess
import sys

import pytest

from tools.common import ROOT


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


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("looplab", {"ontime", "livecells"}),
        ("ontime", {"livecells"}),
        ("livecells", {"looplab", "ontime"}),
    ],
)
def test_who_may_import_whom(name, others):
    """The course may use the tools; no other package knows another."""
    for path in (ROOT / "src" / name).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = []
            if isinstance(node, ast.Import):
                named = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                named = [node.module]
            tops = {one.partition(".")[0] for one in named}
            assert not tops & others, f"{path}, line {node.lineno}"
