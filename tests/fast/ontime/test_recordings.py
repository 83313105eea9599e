"""The recording that is shipped can be asked, and does not say where it was made."""

from __future__ import annotations

import gzip
import json
from importlib.resources import files

import pytest

from looplab.diagnose import endpoints, move
from looplab.diagnose.report import report
from ontime.recordings import service_recording

FILE = files("ontime.recordings").joinpath("service.jsonl.gz")


def test_a_storm_inside_a_request_is_no_batch() -> None:
    """A replay takes the request for one piece: a turn for others gains nothing."""
    sentence = report(service_recording()).splitlines()[0]
    assert sentence.endswith("--move 'POST /report'")


def test_it_names_the_two_faults() -> None:
    recording = service_recording()
    assert [culprit.name for culprit in recording.blame()[:2]] == [
        "POST /report",
        "POST /login",
    ]
    # The program's own lines, though the report computes in Python's own json.
    assert [culprit.place for culprit in recording.blame()[:2]] == [
        "service/work.py:22",
        "service/work.py:15",
    ]
    names = {group.name for group in endpoints(recording.requests())}
    assert {"GET /basket/{lines:int}", "POST /login", "POST /report"} <= names


def test_the_culprits_of_one_victim_are_those_that_delayed_it() -> None:
    """Also while its data lay in the kernel, before there was a request."""
    recording = service_recording()
    basket = "GET /basket/{lines:int}"
    of_it = {row.name: row.waited for row in recording.blame(basket)}
    for culprit in recording.blame()[:2]:
        (delayed,) = (row for row in culprit.delayed if row.name == basket)
        assert of_it[culprit.name] == pytest.approx(delayed.seconds)
    assert max(of_it, key=lambda name: of_it[name]) == "POST /report"
    assert of_it["POST /report"] > 1  # nearly all of it in the kernel


def test_a_replay_agrees_with_it() -> None:
    then = service_recording().replay(move("POST /report"))
    figure = then.figure("GET /basket/{lines:int}", "p99")
    assert figure.low <= figure.high < figure.recorded


def test_it_is_small_and_has_no_path_of_a_machine() -> None:
    packed = FILE.read_bytes()
    assert len(packed) < 200_000

    def check(value: object) -> None:
        if isinstance(value, str):
            assert not value.startswith("/") or " " in value, value
            assert "home" not in value, value
        elif isinstance(value, dict):
            for each in (*value, *value.values()):
                check(each)
        elif isinstance(value, list):
            for each in value:
                check(each)

    for line in gzip.decompress(packed).decode().splitlines():
        check(json.loads(line))
