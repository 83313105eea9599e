"""A picture is the same in every process."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

from looplab.timeline import Timeline
from looplab.trace import record
from tests.fast.looplab.timeline.test_timeline import storm

PROGRAM = """\
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from test_timeline import storm
from looplab.timeline import Timeline
from looplab.trace import record
picture = Timeline(record(storm()))
print(hashlib.sha256(picture._repr_html_().encode()).hexdigest())
"""


def test_the_text_is_the_same_in_every_process() -> None:
    html = Timeline(record(storm()))._repr_html_()
    here = __file__.rpartition("/")[0]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, here.replace("contract", "fast")],
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == hashlib.sha256(html.encode()).hexdigest()
