"""What follows a program live."""

from __future__ import annotations

import asyncio
import json

import pytest

from looplab import burn
from looplab.diagnose import Code, record
from looplab.diagnose.commands.lag import Follower, line_of
from tests.fast.looplab.diagnose.files import save


async def main():
    async def hog():
        await asyncio.sleep(0.05)
        burn(1)

    await asyncio.gather(asyncio.sleep(0.1), hog())


@pytest.fixture(scope="module")
def recording():
    return record(main())


def test_a_file_is_followed_while_it_grows(tmp_path, recording):
    whole = save(recording, tmp_path / "whole.jsonl").read_text(encoding="utf-8")
    path = tmp_path / "t.jsonl"
    follower = Follower(path)
    assert follower.read() == ([], [])
    seen = []
    for end in range(0, len(whole) + 500, 500):
        path.write_text(whole[:end], encoding="utf-8")
        seen += follower.read()[0]
    assert len(seen) == len(recording)
    text = line_of(seen, 2)
    assert "worst   950 ms" in text
    assert "longest 1.00 s" in text
    assert line_of([], 1) == "nothing ran"


def test_a_file_that_moves_aside_is_read_to_its_end(tmp_path, recording):
    whole = save(recording, tmp_path / "whole.jsonl").read_text(encoding="utf-8")
    path = tmp_path / "t.jsonl"
    path.write_text(whole[: len(whole) // 2], encoding="utf-8")
    follower = Follower(path)
    seen = follower.read()[0]
    with path.open("a", encoding="utf-8") as file:
        file.write(whole[len(whole) // 2 :])
    path.rename(tmp_path / "aside")
    seen += follower.read()[0]
    path.write_text(whole, encoding="utf-8")
    seen += follower.read()[0]
    assert len(seen) == 2 * len(recording)


def test_what_holds_the_loop_is_named_before_it_ends(tmp_path):
    hog = Code("charge", "/srv/shop.py", 3)
    recording = record(asyncio.sleep(0.1))
    running = recording.callbacks[-1].index + 1
    path = save(recording, tmp_path / "t.jsonl")
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    known = sum(len(line.get("codes", ())) for line in lines)
    looks = [[at * 1_000_000, running, 5_000_000, 0, []] for at in (200, 205, 210)]
    more = {"codes": [hog], "stacks": [[known]], "loop": 1, "samples": looks}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(more) + "\n")
    follower = Follower(path)
    found, held = follower.read()
    assert found
    assert [(one.ns, one.place) for one in held] == [(15_000_000, hog)]
    assert "charge srv/shop.py:3" in line_of([], 0.01, held)
