"""The distribution: what is in it, and a book built with nothing else of ours."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools.common import ROOT

SOURCE = ROOT / "src" / "livecells"


def run(*words: object) -> None:
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [*map(str, words)], env=kept, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A Python with a wheel of the extension, what it requires, and nothing of ours."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    offline = ("--no-deps", "--no-index")
    run(*pip, "wheel", *offline, "--no-build-isolation", "-w", tmp_path, SOURCE)
    (wheel,) = tmp_path.glob("*.whl")
    place = tmp_path / "clean" / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", place)
    inside = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(*pip, "--python", inside, "install", "--quiet", *offline, wheel)
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
        run(
            python,
            "-c",
            f"import importlib.util as u; assert not u.find_spec('{other}')",
        )
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
