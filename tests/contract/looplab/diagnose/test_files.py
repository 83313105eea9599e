"""The file: its bound, its formats, and what reading one imports."""

from __future__ import annotations

import subprocess
import sys


def test_reading_needs_nothing_that_a_browser_lacks():
    code = """
import sys
import looplab.diagnose as room
from looplab.diagnose import endpoints, load, predict, record, replay, requests
import looplab.diagnose.report
ours = {m.rpartition('.')[2] for m in sys.modules if m.startswith('looplab.diagnose.')}
print(sorted(ours & {'session', 'launch', 'arrival', 'sampler', 'hook', 'writer'}))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
