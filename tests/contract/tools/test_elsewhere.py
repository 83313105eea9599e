"""Binder: what it is given, as far as it can be tried without it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tools.commands import lab_venv
from tools.common import ROOT
from tools.environment import clean_environ, venv_python


def packages_of(venv: Path) -> Path:
    """Where an environment has its packages."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(venv)}))


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
def test_binder_makes_an_environment_in_a_clean_folder(tmp_path: Path) -> None:
    """With the Python of the tests, which need not be the one that Binder takes.

    The packages are those of ``make lab``, made from the same lists: pip has to find
    that nothing is wanting, and the project's own are installed from the folder.
    """
    files = subprocess.run(
        ["git", "ls-files", "-z", ".binder", "requirements.txt", "src", "tools"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if files.returncode:
        pytest.skip("the project is not under git here")
    project, venv = tmp_path / "project", tmp_path / "venv"
    for name in files.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, project / name)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = str(venv_python(venv))
    lab = packages_of(lab_venv())
    packages_of(venv).joinpath("lab.pth").write_text(f"{lab}\n", "utf-8")

    def call(*words: str) -> str:
        done = subprocess.run(
            words,
            cwd=project,
            env=clean_environ(venv),
            capture_output=True,
            text=True,
            check=False,
        )
        words = done.stdout + done.stderr
        if "NewConnectionError" in words or "from versions: none" in words:
            pytest.skip(f"the package index does not answer: {words[-300:]}")
        assert done.returncode == 0, words[-3000:]
        return done.stdout

    pip = [python, "-m", "pip", "--disable-pip-version-check", "install"]
    installed = call(*pip, "-r", ".binder/requirements.txt")
    assert "already satisfied: jupyterlab==" in installed
    assert "Installing" not in installed
    call("bash", ".binder/postBuild")
    code = "import jupyterlab, myst_nb, looplab, livecells, ontime; print(ontime)"
    assert str(project) in call(python, "-c", code)
