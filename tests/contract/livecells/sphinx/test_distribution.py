"""The distribution: what is in it, and a book built with nothing else of ours."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tools.common import ROOT

SOURCE = ROOT / "src" / "livecells"


def run(*words: object, cwd: Path | None = None) -> None:
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [*map(str, words)],
        env=kept,
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the extension."""
    out = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel")
    run(*pip, "--no-deps", "--no-build-isolation", "--no-index", "-w", out, SOURCE)
    (made,) = out.glob("*.whl")
    return made


def test_the_source_archive_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path,
        cwd=SOURCE)  # fmt: skip
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = packed.getnames()
        if hasattr(tarfile, "data_filter"):  # since Python 3.11.4
            packed.extraction_filter = tarfile.data_filter
        packed.extractall(tmp_path / "out")
    assert any(name.endswith("example/conf.py") for name in names)
    (source,) = (tmp_path / "out").iterdir()
    again = tmp_path / "again"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel")
    run(*pip, "--no-deps", "--no-build-isolation", "--no-index", "-w", again, source)
    (made,) = again.glob("*.whl")
    with zipfile.ZipFile(made) as new, zipfile.ZipFile(wheel) as old:
        assert sorted(new.namelist()) == sorted(old.namelist())


def test_the_wheel_holds_the_three_rooms_and_no_book(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {
        "livecells/__init__.py",
        "livecells/py.typed",
        "livecells/sphinx/compile.mjs",
        "livecells/sphinx/cells.py",
        "livecells/page/page.js",
        "livecells/page/livecells.css",
        "livecells/runtime/session.py",
    } <= names
    assert not any("example" in name for name in names)
    code = {
        f"livecells/{p.relative_to(SOURCE).as_posix()}" for p in SOURCE.rglob("*.py")
    }
    assert {n for n in code if "/example/" not in n} <= names


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with this wheel and what it requires, and nothing of this project."""
    place = tmp_path_factory.mktemp("clean") / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", place)
    inside = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(sys.executable, "-m", "pip", "--python", inside, "install", "--quiet",
        "--no-deps", "--no-index", wheel)  # fmt: skip
    # What it requires is taken from here, but for the packages of this project.
    (found,) = place.rglob("site-packages")
    here = Path(next(p for p in sys.path if p.endswith("site-packages")))
    ours = re.compile(r"_?(looplab|ontime|livecells)\b|__editable__|.*\.pth$")
    for path in here.iterdir():
        if not ours.match(path.name) and not (found / path.name).exists():
            (found / path.name).symlink_to(path)
    return inside


@pytest.mark.slow
def test_the_example_is_built_from_the_installed_wheel(
    python: Path, node_modules: Path, tmp_path: Path
) -> None:
    where = "import livecells, sys; sys.exit('clean' not in livecells.__file__)"
    run(python, "-c", where)
    for other in ("looplab", "ontime"):
        name = f"import sys; sys.modules.pop({other!r}, None)"
        check = (
            f"{name}\ntry:\n    import {other}\nexcept ImportError: pass\nelse: 1 / 0"
        )
        run(python, "-c", check)
    run(
        python, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html",
        "-D", f"livecells_node_modules={node_modules}",
        "-D", f"livecells_pyodide={node_modules / 'pyodide'}",
        SOURCE / "example", tmp_path / "html",
    )  # fmt: skip
    page = (tmp_path / "html" / "index.html").read_text("utf-8")
    assert "The area of the unit circle is 3.142" in page and "4.189" in page
    assert 'id="cell-volume"' in page and 'id="explorable-squares"' in page
    lab = (tmp_path / "html" / "lab.html").read_text("utf-8")
    assert 'id="cell-sorted"' in lab and "takes too long for a page" in lab
    settings = {**_settings(page), **_settings(lab)}
    assert (tmp_path / "html" / settings["assets"] / "worker.js").is_file()
    assert (tmp_path / "html" / settings["notebook"]["address"]).is_file()
    index = json.loads((tmp_path / "html" / settings["index"]).read_text("utf-8"))
    assert index["math"]["members"]["floor"]["type"] == "function"


def _settings(page: str) -> dict[str, Any]:
    found = re.search(
        r'id="livecells-config" type="application/json">(.*?)<', page, re.S
    )
    assert found
    return dict(json.loads(found[1]))
