"""A baseline of old findings."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from tests.fast.looplab.lint.command.runs import write


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_baseline_does_not_replace_a_device(lint):
    write("a.py")
    os.mkfifo("pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append(Path("pipe").read_text()))
    reader.start()
    run = lint("a.py", "--baseline", "pipe", "--update-baseline")
    reader.join()
    assert run.status == 0
    assert Path("pipe").is_fifo()
    assert json.loads(got[0])["findings"]
