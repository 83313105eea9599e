"""The distributions, installed outside the clone, and used there."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from tools.common import ROOT

TOOLS = ("looplab", "livecells")
PAGE = (ROOT / "book/in_your_own_tests.md").read_text("utf-8")
RECIPES = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE, re.S))
BOOK = {
    "conf.py": 'extensions = ["livecells"]\nlivecells_enabled = False\n',
    "index.rst": "A book\n======\n",
}


def run(*words: object, folder: Path) -> str:
    done = subprocess.run(
        [*map(str, words)], cwd=folder, env={"PATH": "/usr/bin:/bin", "HOME": folder},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    return done.stdout + done.stderr


@pytest.fixture(scope="module", params=["*.whl", "*.tar.gz"], ids=["wheel", "sdist"])
def python(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A clean Python that has both distributions, and their own dependencies only."""
    place = tmp_path_factory.mktemp("release")
    for name in TOOLS:
        run(sys.executable, "-m", "hatchling", "build", "-d", place / "dist",
            folder=ROOT / "src" / name)  # fmt: skip
    archives = sorted((place / "dist").glob(request.param))
    assert len(archives) == len(TOOLS)
    venv.create(place / "venv", with_pip=True)
    inside = place / "venv" / "bin" / "python"
    pip = (inside, "-m", "pip", "--disable-pip-version-check", "install", "-q")
    run(*pip, *archives, folder=place)
    return inside


@pytest.mark.slow
def test_both_are_used_outside_the_clone(python: Path, tmp_path: Path) -> None:
    for name in TOOLS:
        facts = tomllib.loads((ROOT / "src" / name / "pyproject.toml").read_text())
        version = facts["project"]["version"]
        log = (ROOT / "src" / name / "CHANGELOG.md").read_text("utf-8")
        assert f"## {version}\n" in log
        ask = f"import {name}, importlib.metadata as m; print({name}.__file__)"
        shown = run(python, "-c", f"{ask}; print(m.version({name!r}))", folder=tmp_path)
        assert shown.splitlines()[-1] == version
        assert str(python.parents[1]) in shown and str(ROOT) not in shown
    assert "looplab 0.1.0" in run(
        python.parent / "looplab", "--version", folder=tmp_path
    )
    for file, text in BOOK.items():
        (tmp_path / file).write_text(text)
    run(python, "-m", "sphinx", "-q", "-b", "html", ".", "html", folder=tmp_path)
    assert (tmp_path / "html" / "index.html").is_file()


@pytest.mark.slow
def test_a_new_project_uses_the_recipes_of_the_page(
    python: Path, tmp_path: Path
) -> None:
    for name, text in RECIPES.items():
        if name.endswith("with_unittest.py"):
            (tmp_path / name).write_text(text)
    assert "Ran 6 tests" in run(python, "-m", "unittest", "-v", folder=tmp_path)
    for name, text in RECIPES.items():
        (tmp_path / name).write_text(text)
    pip = (python, "-m", "pip", "--disable-pip-version-check", "install", "-q")
    run(*pip, "pytest", "pytest-asyncio", folder=tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n")
    assert "14 passed" in run(python, "-m", "pytest", "-q", folder=tmp_path)
