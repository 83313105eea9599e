"""The cells of a page are run at its build, and what they show is one text a stream."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import livecells.runtime
import looplab
from livecells.sphinx import runner


def shown(*texts: str) -> list[dict[str, Any]]:
    """Outputs: ``"o:text"`` and ``"e:text"`` of the streams, and others."""
    names = {"o": "stdout", "e": "stderr"}
    return [
        {"kind": "stream", "name": names[text[0]], "text": text[2:]}
        if text[1:2] == ":"
        else {"kind": text, "text": text}
        for text in texts
    ]


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        ([], []),
        (["o:a", "o:b", "o:c"], ["o:abc"]),
        (["o:a", "e:b", "e:c", "o:d"], ["o:a", "e:bc", "o:d"]),
        (["o:a", "display", "display", "o:b"], ["o:a", "display", "display", "o:b"]),
    ],
)
def test_the_pieces_of_a_stream_are_joined(pieces: list[str], whole: list[str]) -> None:
    outputs = shown(*pieces)
    assert runner.joined(outputs) == shown(*whole)
    assert outputs == shown(*pieces), "as they were"


def test_each_cell_answers_with_its_outputs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sources = ["print('a')\nprint('b')\nx = 1", "x + 1", "print('x' * 9)\n1 / 0"]
    cells = [
        {"id": f"c{n}", "label": f"Cell {n}", "source": source}
        for n, source in enumerate(sources, 1)
    ]
    folder = str(Path(runner.__file__).resolve().parent)
    monkeypatch.setattr(sys, "path", [folder, "other"])
    session = partial(livecells.runtime.Session, clock=lambda: 0.0)
    monkeypatch.setattr(livecells.runtime, "Session", session)
    monkeypatch.setattr(asyncio, "run", looplab.run)
    request = json.dumps({"cells": cells, "limit": 5})
    monkeypatch.setattr(sys, "stdin", io.StringIO(request))
    with (tmp_path / "answer").open("w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        runner.main()
    assert sys.path == ["other"]
    answer = json.loads((tmp_path / "answer").read_text())
    assert list(answer) == ["c1", "c2", "c3"]
    assert answer["c1"] == shown("o:a\nb\n")
    assert answer["c2"][0]["data"] == {"text/plain": "2"}
    text, cut, error = answer["c3"]
    assert ([text], cut) == (shown("o:xxxxx"), {"kind": "cut", "limit": 5})
    assert (error["cell"], error["line"]) == ("c3", 2)
    assert error["text"].startswith("Cell 3, line 2")
