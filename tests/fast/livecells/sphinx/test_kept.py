"""What one build keeps for the next is taken only while it is whole."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from livecells.sphinx.kept import Kept, digest, keep, sizes

CALM = b"calm " * 1_000
SIZES = {
    "deep/calm": {"bytes": 5_000, "gzip": len(gzip.compress(CALM, 9, mtime=0))},
    "noise": {"bytes": 3, "gzip": 3},  # which compressing would make longer
}


def make(folder: Path) -> dict[str, Any]:
    (folder / "deep").mkdir()
    (folder / "deep" / "calm").write_bytes(CALM)
    (folder / "noise").write_bytes(b"abc")
    return {"made": 1}


def never(_: Path) -> dict[str, Any]:
    raise AssertionError


def test_a_folder_is_made_once(tmp_path: Path) -> None:
    cache = tmp_path / "not" / "there"
    kept = keep(cache, "one", "from this", make)
    assert kept == Kept(cache / "one", SIZES, {"made": 1})
    assert sizes(kept.folder) == SIZES and kept.is_whole()
    assert keep(cache, "one", "from this", never) == kept
    assert sorted(path.name for path in cache.iterdir()) == ["one", "one.json"]


def _rewrite(note: Path, **change: Any) -> None:
    note.write_text(json.dumps({**json.loads(note.read_text()), **change}))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cache: (cache / "one").rename(cache / "other"),
        lambda cache: (cache / "one" / "noise").unlink(),
        lambda cache: (cache / "one" / "noise").write_bytes(b"abcd"),
        lambda cache: _rewrite(cache / "one.json", **{"from": "that"}),
        lambda cache: _rewrite(cache / "one.json", files=3),
        lambda cache: (cache / "one.json").write_text("{"),
        lambda cache: (cache / "one.json").unlink(),
    ],
)
def test_what_is_not_whole_is_made_again(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    keep(tmp_path, "one", "from this", make)
    spoil(tmp_path)
    (tmp_path / "one").mkdir(exist_ok=True)
    (tmp_path / "one" / "left").touch()

    def again(folder: Path) -> dict[str, Any]:
        return {**make(folder), "made": 2}

    assert keep(tmp_path, "one", "from this", again).note == {"made": 2}
    assert keep(tmp_path, "one", "from this", never).files == SIZES
    assert sizes(tmp_path / "one") == SIZES


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        keep(tmp_path, "one", "from this", never)
    assert list(tmp_path.iterdir()) == []


def test_a_digest_is_that_of_names_contents_and_words(tmp_path: Path) -> None:
    one, two, other = (tmp_path / name for name in ("one", "two", "other"))
    for path, text in ((one, "1"), (two, "2"), (other, "1")):
        path.write_text(text)
    same = {digest([one, two], "a"), digest([two, one], "a")}
    different = [
        digest([one, two]),
        digest([one, two], "b"),
        digest([one], "a"),
        digest([other, two], "a"),
        digest([], "a", "b"),
        digest([], "b", "a"),
    ]
    one.write_text("3")
    different.append(digest([one, two], "a"))
    assert len(same) == 1 and len(same.union(different)) == 8
