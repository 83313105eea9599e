"""What one build keeps for the next: folders, and a note of what each was made from."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Kept", "digest", "keep", "sizes"]


@dataclass(frozen=True)
class Kept:
    """A folder of the cache.

    Attributes:
        folder: where it lies.
        files: name -> {"bytes": raw size, "gzip": compressed size}.
        note: what else its maker said of it.
    """

    folder: Path
    files: dict[str, dict[str, int]]
    note: dict[str, Any]

    def is_whole(self) -> bool:
        """Whether every file is there in its full length."""
        return all(
            (self.folder / name).is_file()
            and (self.folder / name).stat().st_size == size["bytes"]
            for name, size in self.files.items()
        )


def keep(
    cache: Path, name: str, wanted: str, make: Callable[[Path], dict[str, Any]]
) -> Kept:
    """Take a folder from an earlier build, or make it.

    A build that is interrupted leaves no folder that is taken for a whole one.

    Args:
        cache: the folder for what one build keeps for the next.
        name: of the folder in it.
        wanted: a digest of all that the folder is made from.
        make: fills the empty folder that it is given; what it returns is noted, and
            must be made of what JSON has.
    """
    folder, note = cache / name, cache / f"{name}.json"
    try:
        written = json.loads(note.read_text(encoding="utf-8"))
        kept = Kept(folder, written["files"], written["note"])
        if written["from"] == wanted and kept.is_whole():
            return kept
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    cache.mkdir(parents=True, exist_ok=True)
    note.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=cache) as scrap:
        fresh = Path(scrap, name)
        fresh.mkdir()
        facts = make(fresh)
        files = sizes(fresh)
        fresh.rename(folder)
    words = {"from": wanted, "files": files, "note": facts}
    note.write_text(json.dumps(words, indent=1, sort_keys=True), encoding="utf-8")
    return Kept(folder, files, facts)


def digest(paths: Iterable[Path], *words: str) -> str:
    """A hash of these files, of their names, and of words."""
    total = hashlib.sha256(json.dumps(words).encode())
    for path in sorted(paths):
        total.update(f"{path.name}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def sizes(folder: Path) -> dict[str, dict[str, int]]:
    """Raw and compressed size of every file, as a static host would send it."""
    out = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            data = file.read_bytes()
            packed = len(gzip.compress(data, 9, mtime=0))
            name = file.relative_to(folder).as_posix()
            out[name] = {"bytes": len(data), "gzip": min(packed, len(data))}
    return out
