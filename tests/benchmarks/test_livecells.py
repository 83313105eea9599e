"""The benchmark of the live cells: the arithmetic, the server, the error paths.

Nothing here starts a browser or asserts a speed.
"""

import gzip
import json
import urllib.error
import urllib.request

import pytest

from benchmarks import schema
from benchmarks.livecells import __main__ as command
from benchmarks.livecells import measure
from benchmarks.livecells.server import Counted, serve
from tools.common import ROOT, ToolError

PUBLISHED = ROOT / "benchmarks" / "live_results.json"
PAGE = """\
<div class="cell livecell" id="cell-setup"><div class="cell_input"></div></div>
<details><div class="cell livecell" id="cell-folded">
<div class="cell_output"><pre>1</pre></div></div></details>
<div class="cell livecell" id="cell-first">
<div class="cell_output"><pre>2</pre></div></div>
"""


def visits(seconds, *, stop=()):
    return measure.Visits(
        cold=list(seconds),
        warm=[value / 2 for value in seconds],
        stop=list(stop),
        again=[value * 3 for value in stop],
        page_bytes=[500_000] * len(seconds),
        cold_bytes=[6_000_000] * len(seconds),
        edit_bytes=[120_000] * len(seconds),
        warm_bytes=[0] * len(seconds),
    )


def found(ours=(1.0, 2.0, 3.0), peer=(10.0, 10.0, 10.0)):
    return {
        "chrome": {
            measure.OURS: visits(ours, stop=[0.2, 0.4]),
            measure.LITE: visits(peer),
        }
    }


def results(groups):
    return {"machine": {"Processor": "x"}, "python": "Pyodide 1", "groups": groups}


def by_title(groups):
    return {group["title"].partition(" in ")[0]: group for group in groups}


@pytest.mark.parametrize(
    "words", [["--only", "chrome"], ["--rounds", "1"], ["--page", "book/index.html"]]
)
def test_only_a_whole_run_touches_the_published_file(words, tmp_path):
    options = command.parser().parse_args(words)
    assert command.target(options) is None
    options.output = tmp_path / "mine.json"
    assert command.target(options) == tmp_path / "mine.json"
    assert command.target(command.parser().parse_args([])) == PUBLISHED


def test_the_tables_follow_the_schema_and_judge_the_aims():
    groups = by_title(measure.groups(found(), 3))
    assert set(groups) == {
        "First visit",
        "Second visit",
        "Stop",
        "Megabytes sent, compressed",
    }
    schema.check(results(list(groups.values())))
    first = groups["First visit"]["rows"][0]
    assert (first["value"], first["ratio"]) == (2.0, 0.2)
    assert first["ratio_spread"] == [0.1, 0.3]
    verdicts = {title: schema.verdict(group) for title, group in groups.items()}
    assert verdicts["First visit"].endswith("Met: 0.20.")
    assert verdicts["Second visit"].endswith("Missed: 1.00 s.")
    assert verdicts["Stop"].endswith("Met: 0.30 s.")
    assert verdicts["Megabytes sent, compressed"].endswith("Met: 6.00 MB.")


def test_a_missed_aim_is_missed():
    groups = by_title(measure.groups(found(ours=(5.0, 5.0, 5.0)), 3))
    assert "Missed: 0.50" in schema.verdict(groups["First visit"])
    assert "Missed: 2.50 s" in schema.verdict(groups["Second visit"])


def test_what_was_sent_belongs_to_the_span_it_was_sent_in():
    sent = [(1.0, "page", 10), (2.0, "python", 20), (3.0, "late", 40)]
    assert measure._bytes(sent, 0.0, 2.0) == 10
    assert measure._bytes(sent, 2.0, 4.0) == 60


def test_the_first_open_cell_that_shows_text(tmp_path):
    with pytest.raises(ToolError, match="no built book"):
        measure.first_cell(tmp_path, "lab.html")
    (tmp_path / "index.html").write_text("<p>no cells</p>")
    with pytest.raises(ToolError, match="no live cell"):
        measure.first_cell(tmp_path, "lab.html")
    (tmp_path / "lab.html").write_text(PAGE)
    assert measure.first_cell(tmp_path, "lab.html") == ("lab.html", "cell-first")
    assert measure.first_cell(tmp_path, "lab.html#cell-setup")[1] == "cell-setup"
    with pytest.raises(ToolError, match=r"lab.html#cell-none"):
        measure.first_cell(tmp_path, "lab.html#cell-none")


def test_the_server_compresses_counts_and_is_not_asked_twice(tmp_path):
    text = "a line\n" * 1000
    (tmp_path / "a.mjs").write_text(text)
    (tmp_path / "small.bin").write_bytes(bytes(range(256)))
    counted = Counted(tmp_path, {"host.html": "<p>here"})
    with serve(counted) as origin:
        with urllib.request.urlopen(f"{origin}/a.mjs?digest=1") as answer:
            body = answer.read()
            since = answer.headers["Last-Modified"]
            assert answer.headers["Content-Type"] == "text/javascript"
            assert answer.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(body).decode() == text
        for name in ("small.bin", "host.html"):
            with urllib.request.urlopen(f"{origin}/{name}") as answer:
                assert answer.headers["Content-Encoding"] is None
        sent = counted.take()
        assert [(name, size) for _, name, size in sent] == [
            ("a.mjs", len(body)),
            ("small.bin", 256),
            ("host.html", 7),
        ]
        again = urllib.request.Request(f"{origin}/a.mjs")
        again.add_header("If-Modified-Since", since)
        for request in (again, f"{origin}/none", f"{origin}/../secret"):
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(request)
            assert caught.value.code in {304, 404}
        assert counted.take() == []


def test_a_missing_browser_is_one_line(monkeypatch, capsys):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    assert command.main(["--only", "chrome"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert "not installed" in said or "no chrome was found" in said


def test_the_published_results_follow_the_schema():
    if not PUBLISHED.is_file():
        pytest.skip("no results yet: run python -m benchmarks.livecells")
    data = schema.check(json.loads(PUBLISHED.read_text(encoding="utf-8")))
    assert {row["name"] for row in data["groups"][0]["rows"]} == {
        measure.OURS,
        measure.LITE,
    }
