"""The recording that is shipped can be asked, and does not say where it was made."""

from __future__ import annotations

import gzip
import json
from importlib.resources import files

from looplab.diagnose import endpoints, move
from ontime.recordings import service_recording

FILE = files("ontime.recordings").joinpath("service.jsonl.gz")


def test_it_names_the_two_faults() -> None:
    recording = service_recording()
    assert [one.name for one in recording.blame()[:2]] == [
        "POST /report",
        "POST /login",
    ]
    names = {one.name for one in endpoints(recording.requests())}
    assert {"GET /basket/{lines:int}", "POST /login", "POST /report"} <= names


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
