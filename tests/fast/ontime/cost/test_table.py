"""The table: for a terminal, a page and a file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ontime.cost import Cost, CostTable

TABLE = CostTable(
    (
        Cost("in sequence", "asyncio", (1e-6, 2e-6, 3e-6), (4e-6,), 10, 1000),
        Cost("a <b>", "asyncio", (8e-6, 10e-6), (1e-3, 2e-3), 5, 30_000),
        Cost("in sequence", "uvloop", (1e-6,), (1e-6,), 10),
        Cost("a <b>", "uvloop", unavailable="it is <gone>"),
    ),
    {"python": "Python 3.99", "cores": "2 cores"},
    baseline="in sequence",
    note="Look & see.",
)


def test_the_figures_of_a_table() -> None:
    assert TABLE["in sequence"].cpu == 2e-6
    assert TABLE["a <b>"].cpu == pytest.approx(9e-6)
    assert TABLE["a <b>"].wall == pytest.approx(1.5e-3)
    assert TABLE["in sequence", "uvloop"].high == 1e-6
    assert TABLE.ratio("a <b>") == pytest.approx(4.5)
    assert TABLE.instruction_ratio("a <b>") == 30
    assert TABLE.instruction_ratio("in sequence", "uvloop") is None
    counted = replace(TABLE["in sequence", "uvloop"], instructions=500.0)
    table = replace(TABLE, rows=(TABLE.rows[0], counted))
    assert table.instruction_ratio("in sequence", "uvloop") == 1


def test_a_table_in_a_terminal() -> None:
    assert repr(TABLE).splitlines() == [
        "what         loop     CPU a call         low to high  ratio  instructions"
        "   ratio  wall a call",
        "in sequence  asyncio     2.00 µs  1.00 µs to 3.00 µs  1.0 ×         1,000"
        "   1.0 ×      4.00 µs",
        "a <b>        asyncio     9.00 µs  8.00 µs to 10.0 µs  4.5 ×        30,000"
        "  30.0 ×      1.50 ms",
        "in sequence  uvloop      1.00 µs  1.00 µs to 1.00 µs  1.0 ×             -"
        "       -      1.00 µs",
        "a <b>        uvloop   it is <gone>",
        "Measured on Python 3.99, 2 cores.",
        "Look & see.",
    ]


def test_a_table_on_a_page() -> None:
    page = TABLE._repr_html_()
    assert "call. Measured on Python 3.99, 2 cores. Look &amp; see.</caption>" in page
    assert '<th scope="row">a &lt;b&gt;</th>' in page
    assert '<td>uvloop</td><td colspan="6">it is &lt;gone&gt;</td></tr>' in page
    assert page.count("<tr>") == 5
    assert "<td>8.00\N{NO-BREAK SPACE}µs to 10.0\N{NO-BREAK SPACE}µs</td>" in page
    assert "<td>4.5\N{NO-BREAK SPACE}×</td>" in page


def test_a_table_of_one_row() -> None:
    table = CostTable(
        (Cost("f", "asyncio", (1e-3,), (1e-3,), 1),), baseline="f", machine={}
    )
    assert "ratio" not in repr(table)
    page = table._repr_html_()
    assert "Measured on" not in repr(table) + page
    assert "a call on asyncio" in page and "<td>asyncio</td>" not in page
    assert table.cpu == 1e-3
