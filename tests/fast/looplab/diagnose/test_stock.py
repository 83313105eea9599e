"""The recorder of asyncio's own loops, inside this process."""

from __future__ import annotations

import asyncio
import types

import pytest

from looplab.diagnose.described import describe

# -- what a callback is -------------------------------------------------------------


class Work(asyncio.Protocol):
    def data_received(self, data):
        pass


class Other(asyncio.Protocol):
    def data_received(self, data):
        pass


class Silent(asyncio.BaseProtocol):
    pass


class Transport:
    def __init__(self, protocol):
        self._protocol = protocol

    def _read_ready(self):
        pass

    def _call_connection_lost(self):
        pass


@pytest.mark.parametrize("again", range(2))  # what was learnt tells the same
def test_a_transport_does_what_its_protocol_does(again):
    for kind in (Work, Other):
        one = Transport(kind())
        assert describe(one._read_ready) == (None, kind.data_received.__code__)
        lost = f"{kind.__name__} (_call_connection_lost)"
        assert describe(one._call_connection_lost) == (None, lost)
    silent = Transport(Silent())
    assert describe(silent._read_ready) == (None, "Silent.data_received")


def test_a_method_that_is_made_of_something_without_a_hash():
    class Callable(list):
        __name__ = "odd"

        def __call__(self, owner):
            pass

    method = types.MethodType(Callable(), Transport(Work()))
    assert describe(method) == (None, "Work (odd)")


def test_what_only_looks_like_a_step_is_no_task():
    class Impostor:
        def __step(self):
            pass

        step = __step

    step = Impostor().step
    step.__func__.__name__ = "__step"
    assert describe(step) == (None, step.__func__.__code__)
