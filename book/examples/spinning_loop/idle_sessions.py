"""The guard at work: do idle websocket sessions stay idle?

This program runs inside one of the pinned environments and prints one JSON object.  A
test in it is what a reader pastes into a test suite, once with the guard of
:mod:`looplab.idle` and once with the short one of ``idle_guard.py``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import idle_guard
from sockets import client, versions

from looplab.idle import assert_idle


def test_idle_sessions_stay_idle() -> None:
    with client.websocket_connect("/ws"), client.websocket_connect("/ws"):
        assert_idle()


def test_with_the_short_guard() -> None:
    with client.websocket_connect("/ws"), client.websocket_connect("/ws"):
        idle_guard.assert_idle()


def words_of(test: Callable[[], None]) -> str:
    """What a test says when it fails; nothing when it passes."""
    try:
        test()
    except AssertionError as error:
        return str(error) or "no words"
    return ""


def main() -> None:
    print("ready", flush=True)
    if not sys.stdin.readline():
        return
    words = words_of(test_idle_sessions_stay_idle)
    short = words_of(test_with_the_short_guard)
    result = {"passed": not words, "words": words}
    result |= {"short_passed": not short, "short_words": short}
    print(json.dumps({**result, "versions": versions()}), flush=True)


if __name__ == "__main__":
    main()
