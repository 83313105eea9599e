"""Charts: what they say, that they never change, and that they fit a page."""

from __future__ import annotations

import contextlib
import io
import re

import pytest

from ontime.figures import Chart, Curve, curves, ranking
from tools import landing_figure


def two_curves(alt: str = "Two curves") -> Chart:
    return curves(
        Curve("flat", [(0, 1), (10, 1)], "grey", "dots"),
        Curve("steep", [(0, 0), (10, 2)], "orange", label_at=(3, 1.5)),
        x="workers",
        y="lateness (s)",
        alt=alt,
    )


def test_errors_name_the_value_and_the_fix() -> None:
    with pytest.raises(ValueError, match="alt is empty: say in words"):
        two_curves("  ")
    with pytest.raises(ValueError, match="'red': it must be one of orange, blue"):
        curves(Curve("a", [(0, 1)], "red"), x="x", y="y", alt="z")
    with pytest.raises(ValueError, match="queue is 0: a logarithmic axis"):
        ranking([("queue", 0, "blue")], x="x", alt="z")


# The pictures of the landing page and of chapter 4, which are made by the same rules.


@pytest.mark.parametrize("name", landing_figure.PICTURES)
def test_the_committed_picture_is_what_the_code_makes(name: str) -> None:
    committed = (landing_figure.FOLDER / name).read_text(encoding="utf-8")
    assert committed == landing_figure.PICTURES[name](), (
        f"book/figures/{name} is stale: run python -m tools.landing_figure"
    )


def test_the_cell_of_the_landing_page_runs_what_its_picture_shows() -> None:
    page = (landing_figure.FOLDER.parent / "index.md").read_text(encoding="utf-8")
    (cell,) = re.findall(r"```\{livecell\}\n:id: storm\n(.*?)```", page, re.DOTALL)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(cell, {})
    assert printed.getvalue() == "1.500 s late\n"
    picture = landing_figure.late_beat()
    assert "1.500 s late at 3 s" in picture, "in the words for who does not see it"
    assert f"{landing_figure.JOBS} small tasks make a timer 1.500 s late" in picture
    beats = re.search(r"heartbeat: (\d) beats", picture)
    assert beats is not None and beats[1] == "3", "two on time, and the late one"


def test_the_picture_shows_both_and_says_how_late() -> None:
    _, storm, queue = landing_figure.both().split('<div class="looplab-timeline"')
    assert "1.500 s late" in storm
    assert "0.010 s late" in queue
    assert "1.500 s late" not in queue
