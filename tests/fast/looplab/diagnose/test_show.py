"""The page, and what follows a program live."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from looplab import burn, cli, tag
from looplab.diagnose import Callback, Code, Recording, record
from looplab.diagnose.commands.lag import Follower, line_of
from looplab.diagnose.events import OtherThread, Window
from looplab.diagnose.page import page
from looplab.diagnose.tags import Request
from tests.fast.looplab.diagnose.files import save
from tools.show_player import FRAGMENT, digest


async def main():
    async def probe():
        for _ in range(20):
            await asyncio.sleep(0.1)

    async def hog():
        await asyncio.sleep(0.05)
        with tag("<b>import & co</b>"):
            burn(1)

    async def answer():
        request = Request("GET /a").begin()
        await asyncio.sleep(0.2)
        request.end()

    await asyncio.gather(probe(), hog(), answer())


@pytest.fixture(scope="module")
def recording():
    return record(main())


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, name, attributes):
        self.seen.append((name, dict(attributes)))
        if name not in ("meta", "br", "input", "line", "path", "rect", "use"):
            self.open.append(name)

    def handle_endtag(self, name):
        if name in self.open:
            while self.open.pop() != name:
                pass

    def handle_data(self, text):
        self.texts.append(text)


def test_the_page_stands_alone(recording):
    text = page(recording)
    found = Tags(text)
    assert found.open == []
    names = {name for name, _ in found.seen}
    assert not names & {"link", "img", "iframe", "b"}
    assert not re.search(r"(src|href)\s*=|https?://(?!www\.w3\.org)|url\(", text)
    assert ("html", {"lang": "en"}) in found.seen
    said = " ".join(found.texts)
    for word in ("All waiting", "Endpoints", "GET /a", "The worst moment", "What if"):
        assert word in said
    assert "callback <b>import & co</b>" in said
    assert said.count("GET /a") > said[: said.index("Endpoints")].count("GET /a")
    assert "prefers-color-scheme:dark" in text
    assert '<samp class="film"' in text, "the worst moment can be played"


def test_its_player_is_made_of_the_players_sources_as_they_are():
    assert digest() in FRAGMENT.read_text("utf-8"), "python -m tools.show_player"


def test_the_page_begins_with_what_to_do_and_ends_with_ranges(recording):
    text = page(recording, file="slow.jsonl")
    said = " ".join(Tags(text).texts)
    assert said.index("looplab what-if slow.jsonl") < said.index("All waiting")
    assert "it in a thread" in said
    assert "test_show.py" in said


def test_the_worst_moment_shows_the_thread_that_kept_the_interpreter():
    ping = Callback(1, 100_000_000, 400_000_000, 401_000_000, None, "timer", None,
                    Code("ping"), None, due_ns=100_000_000)  # fmt: skip
    first = replace(ping, index=0, ready_ns=0, run_ns=0, ended_ns=1000, due_ns=0)
    scrub = OtherThread("scrubber", 295_000_000, 0, Code("scrub", "/s/scrub.py", 8))
    window = Window(100_000_000, 400_000_000, 0, 0, 60, 0, 0, 1, (scrub,))
    text = page(Recording([first, ping], windows=[window]))
    assert "thread scrubber" in text.partition("The worst moment")[2]


def test_the_command(tmp_path, recording):
    path = save(recording, tmp_path / "t.jsonl")
    out = tmp_path / "page.html"
    assert cli.main(["show", str(path), "--html", str(out)]) == 0
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_place_that_cannot_be_written(tmp_path, recording, capsys):
    path = save(recording, tmp_path / "t.jsonl")
    words = ["show", str(path), "--html", str(tmp_path / "no" / "page.html")]
    with pytest.raises(SystemExit) as stopped:
        cli.main(words)
    assert stopped.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("looplab: cannot write ")
    assert len(err.splitlines()) == 1


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
