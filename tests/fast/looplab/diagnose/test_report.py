"""What `looplab who` and the page of `looplab show` say of a recording."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup

from looplab.diagnose import Recording, ThreadUse, endpoints, faster, move, predict
from looplab.diagnose import yields as in_turn
from looplab.diagnose.page import page
from looplab.diagnose.report import described, head, notes, report, sentence, table
from tests.fast.looplab.diagnose import made
from tests.fast.looplab.diagnose.files import save
from tests.fast.looplab.diagnose.made import CASES, MS, callback, hog, late_ping
from tools.show_player import FRAGMENT, digest

#: What the sentence says of a recording; a change to try is what it ends with.
SENTENCES = """
a callback: 100% | 300 ms | srv/shop.py:12 | in dumps at json/encoder.py:7 | --move hog
an import: an import | before the loop runs
a callback keeps the interpreter: keeps the interpreter | A process helps
a thread keeps it: 98% | thread scrubber at srv/scrub.py:8 | kept | Nothing on this loop
no core: no core | Give it a core | Nothing on this loop
a stop: stopped
awaits in a library: Queue.get, awaited at srv/shop.py:40 in ping
a full executor, and no tags: 298 ms | hog at srv/shop.py:12 fills | larger pool
between callbacks: to blame: nobody waited | 5.0 ms
a batch of short ones: 100% | 290 ms | --yield hog
a batch of long ones: --move hog
a batch of no tasks: --move hog
a storm inside one request: --move 'GET /'
a tag: --move 'a b'
a line elsewhere: srv/scrub.py:8 | in dumps at json/encoder.py:7 | --move scrub
its own job: to blame: nobody waited
a full pool: p99 500 ms (p50 500 ms) | 100% of its waiting (399 ms) | larger pool
a moment: nobody waited | 0.5 ms
many moments: nobody waited | 3.0 ms
his own work: 2.0 ms
a library and another: timers of ping:{space}
a library: timers of serve:{space}
a poll: hog at srv/shop.py:12 in hog spun for 100% of the time
""".format(space=" ")


@pytest.mark.parametrize("line", SENTENCES.strip().splitlines())
def test_the_sentence_says_who_waits_for_what_and_what_to_do(line):
    name, _, parts = line.partition(": ")
    text = sentence((CASES | made.ASKED)[name], file="slow.jsonl")
    assert [part for part in parts.split(" | ") if part not in text] == [], text
    if "--" in parts:
        change = parts.rpartition(" | ")[2]
        assert text.endswith(f"looplab what-if slow.jsonl {change}")


# -- the list ----------------------------------------------------------------------


def test_the_list_has_shares_and_how_a_callback_held_the_loop():
    lines = report(made.service()).partition("all waiting, ")[2].splitlines()
    assert lines[0].startswith("402 ms")
    assert lines[1].split()[:4] == ["1.", "305", "ms", "76%"]
    assert "once, for 310 ms" in lines[2]
    assert "waited: GET /a&b 305 ms (once)" in lines[3]
    assert lines[4].split()[:4] == ["2.", "50.0", "ms", "12%"]
    cut = report(made.service(), top=1).partition("all waiting, ")[2].splitlines()
    assert cut[4].split() == ["97.0", "ms", "24%", "2", "more"]
    assert "spun: hog at srv/shop.py:12 in hog, for 2.00 s" in report(made.spinning())


def test_how_often_how_long_and_how_much_of_it_computed():
    twice = Recording([hog(cpu=100), callback(1, 100, 400, 500, code=made.SHOP),
                       *[callback(n, 420, 500, 501) for n in (2, 3)]])  # fmt: skip
    text = report(twice)
    assert "2 times, the longest 310 ms, 410 ms in sum, and computed 200 ms" in text
    assert "timers of ping 160 ms (2 times)" in text
    assert "computed" not in report(late_ping(hog(cpu=290)))
    threads = [made.thread(name, 98) for name in "abc"]
    window = made.window(100, 400, *threads, slices=60)
    [row, *_] = late_ping(made.brief(), windows=[window]).ledger.rows
    text = "3 threads (a, b) at srv/scrub.py:8 in scrub, which took turns"
    assert text in described(row)


# -- endpoints, and what makes the figures doubtful --------------------------------


def test_a_request_is_taken_apart():
    first, later = made.service().requests()
    assert (first.arrived_ns, first.ended_ns) == (95 * MS, 507 * MS)
    # Its later data lay in the kernel too.
    assert (first.kernel_ns, first.queue_ns) == ((5 + 40) * MS, (300 + 5) * MS)
    assert (first.ran_ns, first.elsewhere_ns) == ((10 + 2) * MS, 50 * MS)
    # What a late timer set off came when that was due.
    assert (later.arrived_ns, later.kernel_ns) == (508 * MS, 2 * MS)
    # So is a timer of its own that the loop was late to see.
    slept = callback(1, 200, 203, 204, due_ns=190 * MS, tag=1)
    last = callback(2, 204, 204, 205, cause="call", by=1, tag=1)
    asleep = [callback(0, 0, 0, 1, cause="io", tag=1), slept, last]
    asked = made.of_request(*asleep, first=0, last=2, began=0, ended=205)
    [request] = asked.requests()
    assert (request.kernel_ns, request.queue_ns) == (0, (3 + 10) * MS)


CELLS = ["GET /a&b", "2", "3.0 ms", "412 ms", "412 ms"]
CELLS += ["23.5 ms", "152 ms", "6.5 ms", "25.0 ms"]


def test_the_table_of_endpoints():
    recording = made.service()
    rows = [re.split(r"\s{2,}", line) for line in report(recording).splitlines()]
    assert CELLS in rows
    assert endpoints(recording.requests())[0].worst == pytest.approx(0.412)
    recording.about = {"system": "Darwin"}
    assert "unknown" in report(recording)
    assert "23.5 ms" not in report(recording)
    assert "does not tell how long" in notes(recording)
    rows = table([["name", "n"], ["x" * 200, "7"], ["y" * 20, "12"]])
    assert 90 < max(map(len, rows)) <= 96  # it gives way where the names are
    assert rows[1].split()[0].endswith("x…")
    assert table([["name", "n"], ["y" * 20, "7"]])[1] == "y" * 20 + "  7"


@pytest.mark.parametrize(("share", "doubt"), [(0.2, "20%"), (0.09, "")])
def test_a_lack_of_cores_is_said(share, doubt):
    recording = late_ping(hog(), threads=[ThreadUse(0, "loop", 0, 5)])
    assert notes(recording) == ""
    waited = round(share * 100 * MS) + 5
    recording.threads.append(ThreadUse(MS, "other", 0, MS))
    recording.threads.append(ThreadUse(100 * MS, "loop", 0, waited))
    assert doubt in notes(recording)
    assert bool(notes(recording)) == bool(doubt)


@pytest.mark.parametrize(
    ("about", "text"),
    [
        ({"argv": ["/bin/python3", "-m", "uvicorn", "a:b"]}, "^uvicorn a:b: "),
        ({"argv": ["/v/python", "/srv/shop.py", *"123456"]}, "^shop.py 1 2 3 4 5: "),
        ({"argv": ["/venv/bin/gunicorn", "app"]}, "^gunicorn app: "),
        ({}, "^2 callbacks in 311 ms, the loop was held for 100% of that$"),
        ({"dropped": 1234}, "1,234 older callbacks were dropped"),
        ({"damaged": 1}, "A line of the file could not be read and is left out.$"),
        ({"damaged": 1, "complete": False}, "of that\nThe recording has no end"),
        ({"damaged": 3, "complete": False}, "3 lines of the file(.|\n)*has no end"),
    ],
)
def test_the_head_names_the_program_and_says_what_is_missing(about, text):
    facts = {"about": {"argv": about.pop("argv", [])}} | about
    assert re.search(text, head(late_ping(hog(), **facts)))


# -- the command -------------------------------------------------------------------


@pytest.fixture
def who(tmp_path, looplab):
    """What `looplab who` prints of a file with these words, and the file."""
    file = save(late_ping(hog()), tmp_path / "t.jsonl")
    return lambda *words: looplab("who", file, *words)[1], file


def test_all_of_it_as_json(who):
    run, file = who
    shown = json.loads(run("--json"))
    assert f"looplab what-if {file} --move hog" in shown["sentence"]
    [row] = shown["rows"]
    whom = {"timers of ping": 300 * MS}
    assert (row["kind"], row["ns"], row["whom"]) == ("callback", 300 * MS, whom)
    assert "callback hog" in row["text"]
    assert [row["held_ns"] for row in shown["callbacks"]] == [310 * MS, MS]
    assert shown["endpoints"] == []
    assert json.loads(run("--json", "--victim", "no*"))["rows"] == []


def test_the_options(who):
    run, file = who
    assert run("--victim", "nobody").startswith("Nothing on this loop is to blame")
    assert "300 ms" in run("--loop", "1")
    # Other loops of the file are named.
    lines = file.read_text("utf-8").splitlines()
    again = [line.replace('"loop":1', '"loop":2').replace('"codes":[', '"other":[')
             for line in lines[1:]]  # fmt: skip
    file.write_text("\n".join([*lines, *again]), "utf-8")
    assert "2 (2 callbacks)" in run().splitlines()[-1]
    assert "--loop" not in run("--loop", "2")


# -- the page ----------------------------------------------------------------------


def cells(page, label):
    """The rows of the table that is called *label*."""
    rows = page.select(f'[aria-label="{label}"] tr')
    return [[cell.text for cell in row.select("th, td")] for row in rows]


def test_the_page_says_what_who_says_and_stands_alone():
    recording = made.service()
    recording.about = {"argv": ["python", "<shop>.py"]}
    text = page(recording, file="slow.jsonl")
    seen = BeautifulSoup(text, "html.parser")
    assert not seen.select("link, img, iframe, b, shop")
    assert not re.search(r"(src|href)\s*=|https?://(?!www\.w3\.org)|url\(", text)
    assert seen.html["lang"] == "en"
    assert "prefers-color-scheme:dark" in text
    assert seen.select("samp.film"), "the worst moment can be played"
    lines = report(recording, file="slow.jsonl").splitlines()
    assert seen.p.text == lines[0]
    assert seen.h1.text == seen.title.text
    rows = seen.select("li strong")
    assert [row.text for row in rows] == list(map(described, recording.ledger.rows))
    bars = [bar["style"] for bar in seen.select(".bar")]
    assert bars == ["width:75.9%", "width:12.4%", "width:11.7%"]
    shares = [row.text.partition(": ")[0] for row in seen.select("li")]
    assert shares == ["305 ms, 76%", "50.0 ms, 12%", "47.0 ms, 12%"]
    small = {part.text for part in seen.select("small")}
    assert small <= {line.strip() for line in lines}
    heads, row = cells(seen, "endpoints")
    assert heads[5:] == ["kernel, mean", "queue, mean", "ran, mean", "elsewhere, mean"]
    assert row == CELLS


def test_its_player_is_made_of_the_players_sources_as_they_are():
    assert digest() in FRAGMENT.read_text("utf-8"), "python -m tools.show_player"


def test_the_page_says_what_changes_would_bring():
    recording = made.storm()
    seen = BeautifulSoup(page(recording), "html.parser")
    heads, *rows = cells(seen, "changes to hog")
    assert heads == ["Change", "timers of ping, p50, now", "then"]
    changes = move("hog"), in_turn("hog"), faster("hog", 2)
    for change, row in zip(changes, rows, strict=True):
        assert row[0] == str(replace(change, pattern="it"))
        figure = predict(recording, change).figure("timers of ping", "p50")
        ends = [figure.least, figure.most], [figure.low, figure.high]
        for text, times in zip(row[1:], ends, strict=True):
            shown = [float(number) for number in re.findall(r"[\d.]+", text)]
            expected = sorted({round(1000 * time, 1) for time in times})
            assert shown == pytest.approx(expected, abs=1)


def test_the_worst_moment_shows_what_kept_the_loop():
    for recording, guilty in (
        (CASES["a thread keeps it"], "thread scrubber"),
        (CASES["a stop"], "the process was stopped"),
        (made.service(), "hog"),
    ):
        moment = page(recording).partition("The worst moment")[2]
        assert guilty in moment.partition("What if")[0]
    film = BeautifulSoup(moment, "html.parser").select("samp.film")[0]
    timers = json.loads(film.text)["t"]
    assert len(timers[0]) == 4, "two timers, and data that came twice"


def test_a_page_of_nothing_and_one_that_is_long(monkeypatch):
    calm = page(Recording([replace(made.brief(), due_ns=MS)]))
    assert "Nothing on this loop is to blame" in calm
    assert "<ol>" not in calm and "What if" not in calm
    monkeypatch.setattr("looplab.diagnose.page._MOST", 11)  # five times two callbacks
    assert "one change at a time" in page(late_ping(hog()))


def test_show_writes_the_page(tmp_path, who, looplab):
    out = tmp_path / "page.html"
    assert looplab("show", who[1], "--html", out) == (0, "", "")
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
