"""The benchmark of the linter: its checks, its arithmetic, the published file.

Nothing here asserts a speed: a loaded machine must not fail it.
"""

import json
import re
import sys
from importlib import metadata
from pathlib import Path

import pytest

from benchmarks import lint, readme, runner, schema
from benchmarks.lint import ALONE, COMMAND, PLUGIN, TREES
from tools.common import ROOT, ToolError

PUBLISHED = ROOT / "benchmarks" / "lint_results.json"
OURS = "planted.py:3:9: LAG101 asyncio.Queue() has its producers elsewhere"
STYLE = "a.py:1:80: E501 line too long"
GOOD = {ALONE: [STYLE], PLUGIN: [STYLE, OURS], COMMAND: [OURS]}


def test_all_did_their_work():
    lint.check(GOOD)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({ALONE: [STYLE, OURS]}, "had our plugin too"),
        ({COMMAND: [], PLUGIN: [STYLE]}, "did not report what was planted"),
        ({PLUGIN: [STYLE]}, "report different findings"),
        ({PLUGIN: [OURS]}, "report different findings of flake8"),
        ({COMMAND: [OURS, "a.py:1:1: LAG201 polls"]}, "report different findings"),
    ],
)
def test_who_did_less_is_caught(changed, said):
    with pytest.raises(lint.NotDoneError, match=said):
        lint.check(GOOD | changed)


def test_ratios_are_taken_round_by_round():
    # The machine was twice as slow in the second round; the ratios do not see it.
    values = {ALONE: [2.0, 4.0, 2.0], PLUGIN: [2.2, 4.4, 3.0], COMMAND: [0.2, 0.4, 0.2]}
    group = lint.group("title", "about", values)
    rows = {row["name"]: row for row in group["rows"]}
    assert rows[ALONE]["ratio"] == 1
    assert rows[PLUGIN]["ratio"] == 1.1
    assert rows[PLUGIN]["ratio_spread"] == [1.1, 1.5]
    assert rows[PLUGIN]["spread"] == [2.2, 4.4]
    assert rows[COMMAND]["ratio"] == 0.1
    data = {"machine": {"a": "b"}, "python": "x", "groups": [group]}
    assert schema.check(data) == data
    assert schema.verdict(group).endswith("Met: 1.10.")


def test_a_tree_has_the_planted_file_and_no_tests(tmp_path):
    stdlib = Path(json.__file__).parent.parent
    files, lines = lint.plant(TREES[0], stdlib, tmp_path)
    assert files > 50
    assert lines > 10_000
    assert (tmp_path / "asyncio" / "queues.py").exists()
    assert not list(tmp_path.rglob("test"))
    small = tmp_path / "small"
    small.mkdir()
    assert lint.plant(TREES[1], stdlib, small) == (1, 3)


@pytest.mark.parametrize("name", [COMMAND, PLUGIN])
def test_a_run_reports_what_was_planted(name, tmp_path):
    if name == PLUGIN:
        pytest.importorskip("flake8")
    tree, settings = tmp_path / "tree", tmp_path / "settings"
    tree.mkdir()
    settings.mkdir()
    found = metadata.entry_points(group="flake8.extension")
    lint.write_settings(settings, is_installed="LAG" in found.names)
    lint.plant(TREES[1], tmp_path, tree)
    cpu, lines = lint.turn(name, sys.executable, tree, settings, 600)
    assert cpu > 0
    assert any(line.startswith(lint.FINDING) for line in lines)


def test_a_run_that_fails_or_hangs(tmp_path, monkeypatch):
    monkeypatch.setattr(lint, "words", lambda *_: [sys.executable, "-c", "1/0"])
    monkeypatch.setattr(runner, "call", lambda *_: (3, "", "why\n"))
    with pytest.raises(lint.NotDoneError, match="ended with status 3: why"):
        lint.turn(COMMAND, sys.executable, tmp_path, tmp_path, 1)
    monkeypatch.setattr(runner, "call", lambda *_: None)
    with pytest.raises(lint.NotDoneError, match="took longer than 1 s"):
        lint.turn(COMMAND, sys.executable, tmp_path, tmp_path, 1)
    with pytest.raises(ToolError, match="no results were written"):
        lint.measure(TREES[1], sys.executable, tmp_path, 1, 1)


def test_fewer_rounds_write_no_file(monkeypatch, tmp_path, capsys):
    values = {name: [1.0] for name in lint.NAMES}
    monkeypatch.setattr(lint.environment, "ensure", lambda _: Path(sys.executable))
    monkeypatch.setattr(lint, "versions", lambda _: {"flake8": "1"})
    monkeypatch.setattr(
        lint, "measure", lambda tree, *_: lint.group(tree.title, "", values)
    )
    monkeypatch.setattr(lint, "RESULTS", tmp_path / "published.json")
    assert lint.main(["--rounds", "1"]) == 0
    assert not (tmp_path / "published.json").exists()
    assert lint.main(["--rounds", "1", "--output", str(tmp_path / "other.json")]) == 0
    assert lint.main([]) == 0
    for name in ("other.json", "published.json"):
        schema.check(json.loads((tmp_path / name).read_text("utf-8")))
    assert "Aim for flake8 with the LAG rules" in capsys.readouterr().out


def test_without_flake8_there_is_one_clear_line(monkeypatch):
    monkeypatch.setattr(runner, "call", lambda *_: (1, "", "no module"))
    with pytest.raises(ToolError, match=r"flake8 is not in \.venv-bench"):
        lint.versions(sys.executable)


# -- the published file --------------------------------------------------------------


@pytest.fixture(scope="module")
def published():
    return schema.check(json.loads(PUBLISHED.read_text(encoding="utf-8")))


def test_the_published_tables_are_whole(published):
    assert len(published["groups"]) == len(TREES)
    for group in published["groups"]:
        assert [row["name"] for row in group["rows"]] == list(lint.NAMES)
        assert group["aim"] == lint.AIM
        assert group["baseline"] == ALONE
        rounds = re.search(r"median of (\d+) rounds", group["method"])
        assert int(rounds[1]) >= lint.ROUNDS
    assert set(published["machine"]) <= {"Processor", "System", "Build of Python"}


def test_the_published_versions_are_the_pinned_ones(published):
    text = (ROOT / "benchmarks" / "requirements.txt").read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([a-z0-9-]+)==([\w.]+)", text, re.MULTILINE))
    assert set(published["packages"]) == {"flake8", "mccabe", "pycodestyle", "pyflakes"}
    for name, version in published["packages"].items():
        assert pins[name] == version


def test_the_page_shows_the_file():
    page = readme.PAGE.read_text(encoding="utf-8")
    assert lint.RESULTS.name in readme.sources(page)
    assert f"\n{lint.SPOKEN}\n" in page
