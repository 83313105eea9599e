"""The guard at work: do idle websocket sessions stay idle?

This program runs inside one of the pinned environments and prints one JSON object.  A
test in it is what a reader pastes into a test suite, once with the guard of
:mod:`looplab.idle` and once with the short one of ``idle_guard.py``.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import idle_guard
from sockets import client, versions

from looplab.idle import assert_idle


def test_idle_sessions_stay_idle(guard: Callable[[], object] = assert_idle) -> None:
    with client.websocket_connect("/ws"), client.websocket_connect("/ws"):
        guard()


def main() -> None:
    result: dict[str, object] = {"versions": versions()}
    for start, guard in ("", assert_idle), ("short_", idle_guard.assert_idle):
        words = ""
        try:
            test_idle_sessions_stay_idle(guard)
        except AssertionError as error:
            words = str(error) or "no words"
        result |= {f"{start}passed": not words, f"{start}words": words}
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
