"""What the book's own code computes in one build, kept for the next."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from . import bundle, wheels

__all__ = ["code_files", "forget_old", "python", "remembered"]

PACKAGE = Path(__file__).parents[1]


def python(app: Any, words: list[str], text: str, folders: list[Path]) -> str:
    """Run Python in a process of its own and return what it printed.

    Raises:
        RuntimeError: it failed or took too long; the message says which.
    """
    limit = app.config.livecells_timeout
    path = [str(folder) for folder in [*folders, PACKAGE.parent]]
    environ = {**os.environ, "PYTHONUTF8": "1", "PYTHONHASHSEED": "0"}
    environ["PYTHONPATH"] = os.pathsep.join(
        [*path, *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    try:
        done = subprocess.run(
            [sys.executable, *words],
            input=text,
            capture_output=True,
            encoding="utf-8",
            env=environ,
            cwd=app.srcdir,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(
            f"it ran longer than {limit:g} s: fix the loop, or raise livecells_timeout"
        ) from None
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"exit status {done.returncode}")
    return done.stdout


def code_files(app: Any) -> list[Path]:
    """The files on which a result of the book's own code depends."""
    files = sorted(PACKAGE.rglob("*.py"))
    for named in app.config.livecells_wheels:
        path = Path(app.srcdir, str(named))
        files += wheels.project_files(path) if path.is_dir() else [path]
    return [file for file in files if file.is_file()]


def remembered(app: Any, key: str, files: list[Path], make: Any) -> Any:
    """``make()``, or what it returned for the same ``key`` and ``files``."""
    if not hasattr(app, "livecells_digests"):
        app.livecells_digests = {}
    total = hashlib.sha256(f"{key}\0{sys.version}".encode())
    for file in files:
        if file not in app.livecells_digests:
            app.livecells_digests[file] = hashlib.sha256(file.read_bytes()).digest()
        total.update(f"{file.name}\0".encode() + app.livecells_digests[file])
    store = bundle.cache_folder(app) / "results"
    kept = store / f"{total.hexdigest()[:32]}.json"
    try:
        entry = json.loads(kept.read_text(encoding="utf-8"))
        kept.touch()  # the oldest are taken away
        return entry
    except (OSError, ValueError):
        pass
    made = make()
    store.mkdir(parents=True, exist_ok=True)
    fresh = kept.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(made), encoding="utf-8")
    fresh.replace(kept)
    return made


def forget_old(store: Path, keep: int = 100) -> None:
    """Take results away that no build has used for long."""
    entries = sorted(store.glob("*.json"), key=lambda file: file.stat().st_mtime)
    for file in entries[:-keep]:
        file.unlink(missing_ok=True)
