"""The projects: wheels that pip fetches, pinned by their hashes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from tools.common import ROOT, ToolError, say

__all__ = ["FOLDER", "PROJECTS", "fetch", "project"]

HERE = Path(__file__).parent
PROJECTS = HERE / "projects.txt"
#: Where wheels are kept and unpacked; git ignores it.
FOLDER = ROOT / ".lint-accuracy"

# Some have parts in C.  Only their Python is read, so they are fetched for one system,
# whatever this is.
_SYSTEM = [
    "--python-version=3.11",
    "--implementation=cp",
    *(f"--abi={abi}" for abi in ("cp311", "abi3", "none")),
    *(
        f"--platform={name}"
        for name in (
            "manylinux_2_28_x86_64",
            "manylinux_2_17_x86_64",
            "manylinux2014_x86_64",
            "any",
        )
    ),
]


def project(wheel: str) -> str:
    """The name of a project, from that of its wheel."""
    return wheel.split("-")[0].replace("_", "-").lower()


def fetch(folder: Path = FOLDER) -> dict[str, Path]:
    """Fetch and unpack all projects; what is there is not fetched again.

    Returns:
        The folder of each project.

    Raises:
        ToolError: pip cannot fetch them.
    """
    wheels, sources = folder / "wheels", folder / "sources"
    pinned = PROJECTS.read_text(encoding="utf-8")
    done = sources / "done.txt"
    if not done.exists() or done.read_text(encoding="utf-8") != pinned:
        shutil.rmtree(sources, ignore_errors=True)
        wheels.mkdir(parents=True, exist_ok=True)
        say("Fetching the projects ...")
        _pip(wheels)
        names = {line.split("==")[0] for line in pinned.splitlines() if "==" in line}
        for wheel in sorted(wheels.glob("*.whl")):
            if project(wheel.name) in names:
                with zipfile.ZipFile(wheel) as archive:
                    archive.extractall(sources / project(wheel.name))
        done.write_text(pinned, encoding="utf-8")
    return {path.name: path for path in sorted(sources.iterdir()) if path.is_dir()}


def _pip(wheels: Path) -> None:
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    words += ["--only-binary=:all:", "--require-hashes", *_SYSTEM]
    words += ["--requirement", str(PROJECTS), "--dest", str(wheels)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ToolError(f"pip cannot be run: {error}") from None
    if done.returncode:
        last = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise ToolError(f"pip could not fetch the projects: {last}")
