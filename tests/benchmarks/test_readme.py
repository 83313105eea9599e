"""The page of the benchmarks: its tables are made, and its prose types no figure."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks import readme
from benchmarks.workloads import LOOPS
from tests.benchmarks.test_schema import results
from tools.common import ROOT, ToolError

PART = "<!-- from: results.json -->\n{}<!-- end -->\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "results.json").write_text(json.dumps(results()), encoding="utf-8")
    path = tmp_path / "README.md"
    path.write_text(f"# Top\n\n{PART.format('old')}\nEnd.\n", encoding="utf-8")
    return path


def test_the_committed_page_is_what_the_command_makes() -> None:
    text = readme.PAGE.read_text(encoding="utf-8")
    assert text == readme.filled(text), (
        "benchmarks/README.md is stale: run python -m benchmarks.readme"
    )
    assert len(readme.sources(text)) == 8


def test_the_prose_types_no_figure_by_hand() -> None:
    page = readme.PAGE.read_text(encoding="utf-8")
    prose = readme.PART.sub("", page)
    prose = re.sub(r"```.*?```|flake8", "", prose, flags=re.DOTALL)
    assert re.findall(r"\d", prose) == []
    for row in LOOPS:
        assert row.name.split()[0] in page.replace("Trio", "trio")


def test_every_command_and_file_that_it_names_is_there() -> None:
    page = readme.PAGE.read_text(encoding="utf-8")
    modules = set(re.findall(r"python -m (benchmarks[\w.]*\w)", page))
    assert len(modules) >= 8
    for module in modules:
        path = ROOT.joinpath(*module.split("."))
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()
    for target in re.findall(r"\]\(([^)#]+)\)", page):
        assert (readme.HERE / target).is_file(), target
    heads = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}
    assert len(anchors) == len(heads), "two headings lead to one place"
    for anchor in re.findall(r"\]\(#([^)]+)\)", page):
        assert anchor in anchors


def test_the_tables_say_what_the_results_say(page: Path) -> None:
    readme.renew(page)
    text = page.read_text(encoding="utf-8")
    assert "old" not in text and text.endswith("\nEnd.\n")
    for line in (
        "- processor: example, 2 cores",
        "- Python: CPython 3.11",
        "- packages: peer 1.0",
        "To measure on yours: `make bench`",
        "Best of 5.",
        "| What ran | Value (s) | Lowest to highest | Ratio to peer | Note |",
        "|---|--:|--:|--:|---|",
        "| looplab | 0.800 | 0.800 to 1.20 | 0.80 | – |",
        "| other | not run | – | – | does not start |",
        "Aim: at most 0.9. Met: 0.80.",
    ):
        assert f"\n{line}\n" in text
    readme.renew(page)
    assert page.read_text(encoding="utf-8") == text


def test_columns_that_would_be_empty_are_left_out() -> None:
    rows = [{"name": "a|b", "value": 1.0}]
    data = results(rows=rows)
    del data["groups"][0]["aim"], data["groups"][0]["baseline"]
    text = readme.as_markdown(data)
    assert "| What ran | Value (s) |\n|---|--:|\n| a\\|b | 1.00 |" in text
    assert "Aim" not in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (PART.format(""), ""),
        ("<!-- from: results.json -->\n", "needs an `<!-- end -->`"),
        ("<!-- end -->\n", "has no partner"),
        ("<!-- from: none.json -->\n<!-- end -->", "none.json, which is not in"),
        ("<!-- from: bad.json -->\n<!-- end -->", "bad.json: results lacks groups"),
        ("<!-- from: no.json -->\n<!-- end -->", "no.json: Expecting value"),
    ],
)
def test_what_cannot_be_filled_is_said(page: Path, text: str, says: str) -> None:
    bad = results()
    del bad["groups"]
    (page.parent / "bad.json").write_text(json.dumps(bad), encoding="utf-8")
    (page.parent / "no.json").write_text("", encoding="utf-8")
    if not says:
        readme.filled(text, page.parent)
        return
    with pytest.raises(ToolError) as caught:
        readme.filled(text, page.parent)
    assert says in str(caught.value)


def test_only_a_file_that_the_page_shows_renews_it(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readme, "PAGE", page)
    monkeypatch.setattr(readme, "renew", lambda: renewed.append(1))
    renewed: list[int] = []
    readme.follow(page.parent / "other.json")
    assert renewed == []
    readme.follow(page.parent / "results.json")
    assert renewed == [1]


def test_the_command(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(readme, "PAGE", page)
    assert readme.main(["all"]) == 2
    assert "'all'" in capsys.readouterr().err
    assert readme.main([]) == 0
    assert "Measured on this machine" in page.read_text(encoding="utf-8")
    (page.parent / "results.json").unlink()
    assert readme.main([]) == 1
    assert "results.json, which is not in" in capsys.readouterr().err
