"""The table of grades."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from ontime.grade.table import as_csv, write


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "rows"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write(pipe, [])
    reader.join()
    assert got[0].encode() == as_csv([]).encode().replace(b"\r\n", b"\n")
    assert pipe.is_fifo()
