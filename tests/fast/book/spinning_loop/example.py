"""The example of chapter 6, as its tests see it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.contract.left import SLOW

__all__ = [
    "CAPTURES",
    "EXAMPLE",
    "GDB",
    "LAB",
    "capture_py",
    "commands",
    "committed",
    "distilled",
    "environments",
    "fake",
    "free",
    "fresh",
    "guard",
    "idle_guard",
    "only_on_path",
    "processes_with",
    "programs",
    "realcase",
    "watching",
]

EXAMPLE = Path(__file__).resolve().parents[4] / "book" / "examples" / "spinning_loop"
LAB = EXAMPLE.parents[2] / "notebooks" / "06_going_deeper.ipynb"
CAPTURES = EXAMPLE / "captures"


def loaded() -> ModuleType:
    """The example as a package, without a change of the path."""
    if "spinning_loop" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "spinning_loop",
            EXAMPLE / "__init__.py",
            submodule_search_locations=[str(EXAMPLE)],
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["spinning_loop"] = module
        spec.loader.exec_module(module)
    return sys.modules["spinning_loop"]


loaded()
from spinning_loop import (  # type: ignore[import-not-found]  # noqa: E402
    commands,
    distilled,
    environments,
    free,
    fresh,
    guard,
    idle_guard,
    programs,
    realcase,
    watching,
)

GDB = """\
[Thread debugging using libthread_db enabled]

Thread 2 (Thread 0x7fb7424d56c0 (LWP 26238) "python"):
Traceback (most recent call first):
  Waiting for the GIL
  File "/usr/lib/python3.12/selectors.py", line 468, in select

Thread 1 (Thread 0x7fb744d33b80 (LWP 26150)):
Traceback (most recent call first):
  File "/usr/lib/python3.12/threading.py", line 355, in wait
"""


def only_on_path(name: str, fix: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise programs.SkippedError(f"{name} is not installed ({fix})")
    return path


def fake(folder: Path, name: str, script: str) -> None:
    """A program of that name."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)


def capture_py(
    *arguments: object, env: dict[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", str(EXAMPLE / "capture.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=options.pop("timeout", SLOW),
        check=False,
        env=env,
        **options,
    )


def processes_with(text: str, *, mine: bool = False) -> list[str]:
    """The command lines of running programs that contain a text.

    With *mine* only those that this process or one of its children started: somebody
    else may make captures on this machine meanwhile.
    """
    lines, parents = {}, {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            line = (path / "cmdline").read_bytes().replace(b"\0", b" ")
            # After the name, which may hold anything: the state, then the parent.
            parents[int(path.name)] = int(
                (path / "stat")
                .read_text("utf-8", "replace")
                .rpartition(")")[2]
                .split()[1]
            )
        except OSError:
            continue
        lines[int(path.name)] = line.decode("utf-8", "replace")

    def started_here(number: int) -> bool:
        while number > 1 and number != os.getpid():
            number = parents.get(number, 0)
        return number == os.getpid()

    return [
        line
        for number, line in lines.items()
        if text in line and (not mine or started_here(number))
    ]


def committed() -> list[Path]:
    return sorted(CAPTURES.iterdir()) if CAPTURES.is_dir() else []
