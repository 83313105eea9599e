"""The benchmark of a server with priorities: it measures, and says what went wrong."""

import asyncio
import socket
import sys

import pytest

from benchmarks import priority_server
from benchmarks.priority_server import LOOP, STOCK, ServerGoneError, measure, table


@pytest.mark.skipif(sys.platform == "win32", reason="hands a socket to a process")
@pytest.mark.parametrize("way", [STOCK, LOOP])
def test_a_way_is_measured(way):
    facts = measure(way, 0.5)
    assert facts["requests"] >= 1
    assert 0 < facts["p50"] <= facts["p99"]
    assert facts["throughput"] >= 0  # a slow machine may answer no long one in time


def test_a_server_that_is_gone_is_said():
    with socket.socket() as taken:
        taken.bind((priority_server.HOST, 0))  # bound and not listening: refused
        port = taken.getsockname()[1]
        with pytest.raises(ServerGoneError, match="does not answer"):
            asyncio.run(priority_server.load(port, 0.1, 0.01))


def test_the_table_says_whether_the_aim_is_met():
    stock = {"p50": 1.0, "p99": 2.0, "throughput": 100.0}
    good = {"p50": 0.1, "p99": 0.2, "throughput": 90.0}
    bad = {"p50": 0.1, "p99": 0.21, "throughput": 100.0}
    assert table({STOCK: stock, LOOP: good}).endswith(": met.")
    assert table({STOCK: stock, LOOP: bad}).endswith(": not met.")


def test_bad_words_are_refused(capsys):
    with pytest.raises(SystemExit):
        priority_server.main(["--seconds", "0"])
    assert "give a number over 0" in capsys.readouterr().err
