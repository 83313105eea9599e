"""``python -m ontime.cost``."""

from __future__ import annotations

from ontime.cost import (
    VARIANTS,
    CostTable,
)
from ontime.cost.__main__ import _names
from tests.fast.ontime.cost.shared import (
    ROOT,
)

#: What chapter 3 shows of a Python that the lab did not run on.
KEPT = ROOT / "book" / "figures" / "task_cost_newer.json"


def test_the_names_of_ways_hold_commas() -> None:
    names = ["in sequence", "tasks", "tasks, eager", "gather, eager"]
    assert _names(", ".join(names)) == _names(",".join(names)) == names
    assert _names(",".join(VARIANTS)) == list(VARIANTS)


def test_the_kept_table_has_what_the_chapter_shows() -> None:
    table = CostTable.load(KEPT)
    assert table.machine["python"] > "Python 3.12"
    assert KEPT.with_suffix(".txt").read_text("utf-8") == f"{table!r}\n"
    for way in "tasks", "gather":
        assert 0 < table[f"{way}, eager"].cpu < 0.7 * table[way].cpu
    assert table["wait_for"].cpu < table["tasks"].cpu
