"""The book's own packages as wheels, and as the archives that a page fetches."""

from __future__ import annotations

import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError

from .imports import imported
from .library import archive_of, write_packed

__all__ = [
    "describe",
    "make_wheel",
    "pack",
    "project_files",
    "wheel_source",
]

SCRAP = {"__pycache__", "node_modules", "dist"}


def project_files(project: Path) -> Iterator[Path]:
    """The files of a project that can get into its wheel.

    The code is in the folder ``src`` where there is one; else the folder of the project
    is the package.  What the project's ``pyproject.toml`` names is left out, such as
    ``exclude = ["check/bank/*"]`` in the table ``[tool.livecells]``: no page needs it.

    Raises:
        ExtensionError: that table is not what it should be.
    """
    excluded = _excluded(project)
    top = ("pyproject.toml", "setup.cfg", "setup.py", "README.md", "LICENSE")
    code = project / "src"
    if code.is_dir():
        for name in top:
            if (project / name).is_file():
                yield project / name
    for file in sorted((code if code.is_dir() else project).rglob("*")):
        inside = file.relative_to(project)
        if any(fnmatch.fnmatch(inside.as_posix(), pattern) for pattern in excluded):
            continue
        if file.is_file() and not any(map(_is_scrap, inside.parts)):
            yield file


def _excluded(project: Path) -> list[str]:
    path = project / "pyproject.toml"
    if not path.is_file():
        return []
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ExtensionError(f"livecells_wheels: {path}: {error}") from None
    patterns = table.get("tool", {}).get("livecells", {}).get("exclude", [])
    if not isinstance(patterns, list) or not all(isinstance(p, str) for p in patterns):
        raise ExtensionError(
            f"livecells_wheels: {path} has exclude = {patterns!r} in [tool.livecells]: "
            'give a list of patterns, such as ["tests/*"]'
        )
    return patterns


def _is_scrap(name: str) -> bool:
    return name.startswith(".") or name in SCRAP or name.endswith(".egg-info")


def wheel_source(source: Path, named: str) -> Path:
    """The wheel or project that an entry of ``livecells_wheels`` names.

    Raises:
        ExtensionError: there is no such wheel, or it is not pure Python.
    """
    path = (source / named).resolve()
    if path.is_dir() and (path / "pyproject.toml").is_file():
        return path
    if path.is_file() and path.suffix == ".whl":
        if not path.stem.endswith("-none-any"):
            raise ExtensionError(
                f"livecells_wheels names {named!r}, which is made for one kind of "
                "machine: the page needs a pure Python wheel (…-none-any.whl)"
            )
        return path
    what = "is no wheel and has no pyproject.toml" if path.exists() else "is not there"
    raise ExtensionError(
        f"livecells_wheels names {named!r}, and {path} {what}: name a .whl file or "
        "the folder of a Python project"
    )


def make_wheel(project: Path, out: Path) -> Path:
    """Make a wheel of a project; a finished wheel is taken as it is.

    The project's own build tool makes it, in a copy of the project, from what is
    installed: nothing is downloaded.
    """
    if project.is_file():
        return Path(shutil.copyfile(project, out / project.name))
    with tempfile.TemporaryDirectory() as scrap:
        place, made = Path(scrap, "project"), Path(scrap, "made")
        for file in project_files(project):
            target = place / file.relative_to(project)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel"]
        command += ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
        command += ["--wheel-dir", str(made), str(place)]
        environ = {
            **os.environ,
            "SOURCE_DATE_EPOCH": "315532800",
            "PYTHONHASHSEED": "0",
        }
        done = subprocess.run(
            command, env=environ, capture_output=True, text=True, check=False
        )
        wheels = sorted(made.glob("*.whl")) if made.is_dir() else []
        if done.returncode or len(wheels) != 1:
            raise ExtensionError(
                f"livecells_wheels: no wheel could be made of {project}:\n"
                f"{done.stdout}{done.stderr}".strip()
            )
        if not wheels[0].stem.endswith("-none-any"):
            raise ExtensionError(
                f"livecells_wheels: {project} makes {wheels[0].name}, which is for one "
                "kind of machine: the page needs pure Python"
            )
        return Path(shutil.copyfile(wheels[0], out / wheels[0].name))


def pack(wheel: Path, out: Path) -> str:
    """Write a wheel as a page fetches it; returns its name below ``out``'s folder."""
    with zipfile.ZipFile(wheel) as archive:
        files = {n: archive.read(n) for n in archive.namelist() if not n.endswith("/")}
    packed = write_packed(out / wheel.name, archive_of(files))
    return f"{out.name}/{packed.name}"


def packages_in(wheel: Path) -> list[str]:
    """The top-level packages and modules of a wheel."""
    names = set()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            top, _, rest = name.partition("/")
            if rest == "__init__.py":
                names.add(top)
            elif not rest and top.endswith(".py"):
                names.add(top[:-3])
    return sorted(names)


def imports_in(wheel: Path) -> set[str]:
    """The top-level names that the modules of a wheel import, anywhere in them."""
    names: set[str] = set()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                names |= imported(archive.read(name).decode("utf-8"))
    return names


def describe(wheels: Sequence[tuple[str, Path]]) -> list[dict[str, Any]]:
    """What a page has to know of its wheels: what each holds and which others it needs.

    Args:
        wheels: the name of the file that a page fetches, and the wheel in it.

    Raises:
        ExtensionError: two wheels hold a package of one name.
    """
    holds = [packages_in(wheel) for _, wheel in wheels]
    owner: dict[str, Path] = {}
    for (_, wheel), packages in zip(wheels, holds, strict=True):
        for package in packages:
            if package in owner:
                raise ExtensionError(
                    f"livecells_wheels: {owner[package].name} and {wheel.name} both "
                    f"hold {package!r}: name one of them"
                )
            owner[package] = wheel
    return [
        {
            "file": name,
            "packages": packages,
            "needs": sorted(imports_in(wheel) & (owner.keys() - set(packages))),
        }
        for (name, wheel), packages in zip(wheels, holds, strict=True)
    ]
