"""looplab.timeline: what the picture says is what the trace holds."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

from looplab.timeline import Timeline
from looplab.trace import Trace, record
from tests.fast.looplab.timeline.test_timeline import storm, texts


@pytest.fixture(scope="module")
def storm_trace() -> Trace:
    return record(storm())


@pytest.fixture(scope="module")
def picture(storm_trace: Trace) -> Timeline:
    return Timeline(storm_trace, probe="heartbeat", title="A storm")


# -- the text of the picture -----------------------------------------------------------


def test_the_text_is_the_same_in_every_process() -> None:
    program = (
        "import hashlib, sys; sys.path.insert(0, sys.argv[1])\n"
        "from test_timeline import storm\n"
        "from looplab.timeline import Timeline\n"
        "from looplab.trace import record\n"
        "picture = Timeline(record(storm()))\n"
        "print(hashlib.sha256(picture._repr_html_().encode()).hexdigest())"
    )
    here = __file__.rpartition("/")[0]
    digests = {
        subprocess.run(
            [sys.executable, "-c", program, here],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(digests) == 1


# -- what it says ----------------------------------------------------------------------


def test_a_real_trace_says_that_it_is_measured() -> None:
    async def main() -> None:
        await asyncio.sleep(0.01)

    picture = Timeline(record(main(), clock="real"))
    assert "real clock, measured" in picture.alt
    assert "Times are measured, in real time." in texts(picture)
