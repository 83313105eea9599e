"""Where a thread is: which frames a sample keeps."""

from __future__ import annotations

import sys

import pytest

from looplab.diagnose.events import Code
from looplab.diagnose.naming import own_line
from looplab.diagnose.sampler import sample_stack, source_line

FILES = {
    "own": "/home/me/app.py",
    "module": "/home/me/lazy.py",
    "library": "/venv/lib/python3.11/site-packages/uvicorn/http.py",
    "python": "/usr/lib/python3.11/json/encoder.py",
    "loop": "/usr/lib/python3.11/asyncio/events.py",
    "recorder": "/venv/lib/python3.11/site-packages/looplab/diagnose/adapters.py",
}


def stack_of(*whose):
    """Sample a thread in functions of such files, the outermost first."""
    call = sys._getframe
    for number, one in reversed(list(enumerate(whose))):
        name = "_run" if one == "loop" else f"{one}{number}"
        namespace = {"call": call}
        source = f"def {name}():\n    return call()\n"
        exec(compile(source, FILES[one], "exec"), namespace)
        call = namespace[name]
        if one == "module":  # it is imported, and who imports it says more
            names = dict.fromkeys(["co_name", "co_qualname"], "<module>")
            call.__code__ = call.__code__.replace(**names)
    return sample_stack(call())


@pytest.mark.parametrize(
    ("whose", "kept"),
    [
        ("own loop library own python", ["python4", "own3"]),
        ("own loop own library own library python", ["python6", "library5", "own4"]),
        ("own loop library library python", ["python4", "library3"]),
        ("own loop library recorder python", ["python4", "recorder3", "library2"]),
        ("own loop python python", ["python3"]),
        ("own loop recorder", ["recorder2"]),
        ("own loop own module library", ["library4", "<module>", "own2"]),
    ],
)
def test_frames_go_out_to_the_one_that_a_report_names(whose, kept):
    codes, places = stack_of(*whose.split())
    assert [code.co_name for code in codes] == kept
    lines = [source_line(*one) for one in zip(codes, places, strict=True)]
    assert lines == [2] * len(kept)
    stack = [Code(code.co_qualname, code.co_filename, 2) for code in codes]
    named = own_line(stack)
    last = None if kept == ["recorder2"] else kept[-1]
    assert (named and named.name) == last


def test_a_thread_without_a_frame_is_nowhere():
    assert sample_stack(None) == ((), ())
