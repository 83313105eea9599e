"""How other programs are started, ended and their words cleaned."""

from __future__ import annotations

import pytest

from tests.fast.book.spinning_loop.example import programs


@pytest.mark.parametrize(
    ("printed", "cleaned"),
    [
        (
            'File "/x/old-3.12/lib/python3.12/site-packages/anyio/a.py", line 1',
            'File "anyio/a.py", line 1',
        ),
        ('File "/opt/py/lib/python3.13t/asyncio/b.py"', 'File "asyncio/b.py"'),
        ('File "/r/book/examples/spinning_loop/distilled.py"', 'File "distilled.py"'),
        ("wait (spinning_loop/distilled.py:50)", "wait (distilled.py:50)"),
        ("Thread 0x00007f6cdeafb6c0 (most", "Thread 0x… (most"),
        ("$ strace -p 4711 --four 47110", "$ strace -p PID --four 47110"),
        ("\x1b[1mbold\x1b[0m   ", "bold"),
        ("(/home/me/venv/bin/python3.12)", "(python3.12)"),
        ("Thread 4 (Thread 0x7fb741cd46c0 (LWP 99))", "Thread 4 (Thread 0x… (LWP …))"),
    ],
)
def test_what_is_cleaned(printed: str, cleaned: str) -> None:
    assert programs.clean(printed, {4711: "PID"}) == cleaned + "\n"
