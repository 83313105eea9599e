"""What `looplab lag` prints of what was noted."""

from __future__ import annotations

import pytest

from looplab.diagnose.live import Live
from looplab.diagnose.recorder import BEFORE, DATA, TIMER

MS = 1_000_000
namespace: dict = {}
exec(compile("\n\ndef charge():\n    pass\n", "/srv/shop.py", "exec"), namespace)
CHARGE = namespace["charge"].__code__
LOOK = (CHARGE,), (0,)  # at its first line


@pytest.fixture
def clock():
    return [0]


@pytest.fixture
def live(clock):
    return Live(2, lambda: clock[0])


def row(ready, by, run, ended, code="work"):
    return ready * MS, by, run * MS, ended * MS, 0.0, None, code, 0


def test_a_line_for_each_period(live, clock, capsys):
    rows = row(0, BEFORE, 0, 1000, CHARGE), row(1000, TIMER, 1050, 1051)
    rows += row(1051, 1, 1052, 1053), row(1054, DATA, 1060, 1061)
    notes = [entry for each in rows for entry in each]
    timer = (1, -1, 100 * MS, None)  # due at 100 ms
    live.write(1, {"rows": (0, notes, [timer], [(3, 1040 * MS, True)])})
    live.write(1, {"samples": [(900 * MS, 0, 5 * MS, LOOK)]})
    live.flush()
    assert capsys.readouterr().err == ""  # it is not over
    clock[0] = 2000 * MS
    live.flush()
    text = capsys.readouterr().err
    for words in (
        "late p50  20.0 ms",  # the data; who is woken by a callback is not late
        "worst   950 ms",
        "busy  50%",
        "longest 1.00 s charge srv/shop.py:3",
    ):
        assert words in text
    live.close()
    assert capsys.readouterr().err == ""  # nothing ran since
    assert live.line(1) == ""


def test_what_holds_the_loop_is_named_before_it_ends(live):
    for at in (200, 205, 210):
        live.write(1, {"samples": [(at * MS, 7, 5 * MS, LOOK)]})
    live.flush()
    assert live.line(0.01) == "held for 15.0 ms so far by charge srv/shop.py:3"
    assert live.line(1) == ""  # not for long
    live.write(1, {"rows": (7, [*row(195, BEFORE, 195, 211)], [], [])})
    live.flush()
    assert live.line(0.01) == ""  # it has ended
