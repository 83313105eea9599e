"""The table of a comparison: for a terminal, a page and a file."""

from __future__ import annotations

import pytest

from ontime.cpu_models import Comparison, Measurement, Model, Row


def run_of(wall: float, cpu: float | None = 0.5) -> Measurement:
    return Measurement(wall=wall, startup=0.25, cpu=cpu, lateness=0.125, beats=3)


@pytest.fixture
def table() -> Comparison:
    rows = (
        Row(Model("chain"), "chain <&>", (run_of(3.0), run_of(1.0), run_of(2.0))),
        Row(Model("pool", 2), "Pool(2)", (run_of(1.0, None),)),
        Row(Model("interpreters", 2), "Interpreters(2)", (), "needs <a new> Python"),
    )
    return Comparison(rows, {"system": "Linux", "cores": "2 cores"}, "work(1)", 4)


def test_rows_give_medians(table: Comparison) -> None:
    row = table["chain <&>"]
    assert (row.wall, row.total, row.startup, row.cpu) == (2.0, 2.25, 0.25, 0.5)
    assert row.lateness == 0.125
    assert row.values("wall") == [1.0, 2.0, 3.0]
    assert [each.name for each in table] == [row.name for row in table.rows]


def test_what_a_row_does_not_know(table: Comparison) -> None:
    with pytest.raises(ValueError, match=r"does not tell the cpu of Pool\(2\)"):
        _ = table["Pool(2)"].cpu
    with pytest.raises(ValueError, match="was not run: needs"):
        _ = table["Interpreters(2)"].wall
    with pytest.raises(KeyError, match=r"no row 'Pool'; there are chain"):
        table["Pool"]


def test_text(table: Comparison) -> None:
    lines = repr(table).splitlines()
    assert lines[0] == "4 jobs of work(1), the median of 3 runs (least to most)."
    assert "2.000 (1.000 to 3.000)" in lines[3]
    assert "not known" in lines[4]
    assert lines[5].endswith("not run: needs <a new> Python")
    assert lines[-1] == "Measured on Linux, 2 cores."


def test_html(table: Comparison) -> None:
    html = table._repr_html_()
    assert "chain &lt;&amp;&gt;" in html and "<&>" not in html
    assert html.count("<tr>") == 4
    assert '>2.000<br><span style="font-size:85%">1.000–3.000</span></td>' in html
    assert ">1.000</td>" in html and ">not known</td>" in html
    assert 'colspan="4">not run: needs &lt;a new&gt; Python' in html
