"""What is shown of runs."""

from __future__ import annotations

from ontime.bus import BusRuns, compare, consume


def test_texts() -> None:
    runs = compare(clock="virtual")
    stock, urgent = runs
    assert repr(stock).endswith("first come first served, SQLite>")
    assert f" {stock.left.total} left in " in repr(stock)
    assert repr(urgent) == (
        f"<BusRun 20 processed, 0 delivered again in {urgent.makespan:.3f} s, "
        "the priority loop, SQLite>"
    )
    assert (len(runs), runs[1]) == (2, urgent)
    lines = repr(runs).splitlines()
    assert lines[0].split()[0] == "scheduler"
    assert lines[0].endswith("the priority loop")
    assert len({len(line) for line in lines}) == 1
    again = next(line for line in lines if line.startswith("delivered again"))
    assert again.split()[2:] == [str(stock.redelivered), "0"]
    html = runs._repr_html_()
    assert html.count("<tr>") == len(lines)
    assert f"<td>{stock.redelivered}</td><td>0</td>" in html
    assert urgent._repr_html_() == BusRuns((urgent,))._repr_html_()


def test_names_are_escaped() -> None:
    class Turns:
        name = "<b>&"

        async def turn(self, priority: int | None = None) -> None:
            pass

    html = consume(scheduler=Turns(), clock="virtual", stop_after=1)._repr_html_()
    assert "&lt;b&gt;&amp;" in html
    assert "<b>" not in html
