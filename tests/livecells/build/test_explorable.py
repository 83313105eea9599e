"""Figures with a slider: checked, small, and true to the code beside them."""

from __future__ import annotations

import ast
import asyncio
import gzip
import html
import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from livecells import Explorable, ExplorableError, Frame
from livecells.build.explorable import LIMIT, load
from livecells.build.slider import MAKE
from livecells.runtime import Session
from tests.livecells.books import Shelf
from tools.common import ROOT

FOLDER = ROOT / "book" / "explorables"
EXPLORE = ("workers", "arrivals", "lost_leases", "clients")  # on explore.md, too
BARS = ("cpu_work", "hops")
STEPS = ("iterations",)  # a table: its words are read as they are
BOOK = (*EXPLORE, *BARS, *STEPS)
HELPERS = {"charts", "bars", "places"}


def good(**change: Any) -> dict[str, Any]:
    """What makes a figure, with something changed."""
    frames = [
        Frame(f'<svg height="20"><path d="M0 0h{n}"/></svg>', f"It is {n} wide.")
        for n in (1, 5, 9)
    ]
    return {
        "title": "Width",
        "parameter": "Width",
        "unit": "cm",
        "values": (1, 5, 9),
        "frames": frames,
        "default": 5,
        **change,
    }


# ---- what it checks ---------------------------------------------------------


def test_a_figure_knows_its_words_and_its_place() -> None:
    made = Explorable(**good(values=(1, 500, 90_000), default=500))
    assert made.texts == ("1 cm", "500 cm", "90,000 cm")
    assert made.place == 1
    assert json.loads(made.json())["values"] == ["1", "500", "90000"]
    assert gzip.decompress(made.packed()).decode() == made.json()


TALL = Frame('<svg height="21"></svg>', "Taller.")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"title": " "}, "title is ' ': give the reader a name"),
        ({"parameter": ""}, "parameter is ''"),
        ({"values": (1,)}, "values has 1 of them: a slider needs two or more"),
        ({"values": (1, 5, 5)}, "5 follows 5 among the values: sort them, each once"),
        ({"values": (5, 1, 9)}, "1 follows 5 among the values"),
        ({"values": (1, 5, float("nan"))}, "nan among the values: give finite numbers"),
        ({"values": (1, 5, "9")}, "'9' among the values"),
        ({"values": (1, 5, True)}, "True among the values"),
        ({"default": 4}, "default is 4, which is not among the values: take one"),
        ({"frames": good()["frames"][:2]}, "2 frames for 3 values"),
        ({"frames": ["<svg></svg>"] * 3}, r"the frame of 1 is a str: make it Frame"),
        ({"frames": [Frame("no", "s")] * 3}, "the picture of 1 is 'no': give SVG"),
        ({"frames": [Frame("<b/>", " ")] * 3}, "the frame of 1 has no summary"),
        (
            {"frames": [*good()["frames"][:2], TALL]},
            "the picture of 1 has height 20 and that of 9 has height 21: make all",
        ),
        ({"frames": [Frame("<script>", "s")] * 3}, "has '<script': pictures may not"),
        ({"frames": [Frame("<a onclick='x'>", "s")] * 3}, "has 'onclick='"),
        ({"texts": ("a",)}, "1 texts for 3 values"),
        ({"live": "print(1)"}, r"the first line of live is 'print\(1\)'.* n = 5"),
        ({"live": "n = 6\nprint(n)"}, "the first line of live is 'n = 6'"),
        ({"live": "n = open()"}, "the first line of live"),
    ],
)
def test_a_figure_that_cannot_be_shown_is_refused(
    change: dict[str, Any], words: str
) -> None:
    with pytest.raises(ExplorableError, match=words):
        Explorable(**good(**change))


def test_pictures_that_are_too_large_are_refused() -> None:
    noise = "".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(40_000))
    frames = [Frame(f"<p>{noise[n:]}{noise[:n]}</p>", "Noise.") for n in (0, 777, 5555)]
    with pytest.raises(ExplorableError, match=rf"{LIMIT:,} are allowed"):
        Explorable(**good(frames=frames))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nocolon", "names no function: write module:function"),
        ("json:loads:x", "names no function"),
        ("no_such_module:f", "there is no module 'no_such_module'"),
        ("json:no_such", "json has no function no_such"),
        ("json:dumps", "missing 1 required positional argument"),
        ("time:time", "returned a float: it must return an Explorable"),
    ],
)
def test_a_function_that_is_none_is_named(name: str, words: str) -> None:
    with pytest.raises((ExplorableError, TypeError), match=words):
        load(name)


# ---- on the page ------------------------------------------------------------

MODULE = """
from livecells import Explorable, Frame

def explorable():
    frames = [Frame(f'<svg height="20" aria-hidden="true"><g id="f{n}"/></svg>',
                    f"It is <{n}> wide.") for n in (1, 5, 9)]
    return Explorable("Width & more", "Width", "cm", (1, 5, 9), frames, 5,
                      live="n = 5\\nprint(n * 2)", style=".w{fill:red}")

def broken():
    return 1 / 0

def other():
    return 7
"""
PAGE = "# Page\n\n```{explorable} mine:explorable\n:id: width\n```\n"


class Elements(HTMLParser):
    """All elements of a page with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[Any]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def one(self, tag: str, **wanted: str) -> dict[str, str]:
        (found,) = (
            attributes
            for name, attributes in self.found
            if name == tag and wanted.items() <= attributes.items()
        )
        return found


def files(page: str = PAGE) -> dict[str, str]:
    return {"index.md": page, "explorables/mine.py": MODULE}


@pytest.mark.full
def test_the_page_has_the_slider_and_the_first_picture(shelf: Shelf) -> None:
    book = shelf.build(files())
    assert book.warnings == ""
    page = book.page()
    elements = Elements(page)
    figure = elements.one("figure", id="explorable-width")
    assert figure["data-live"] == "cell-width-live"
    slider = elements.one("input", type="range")
    assert (slider["min"], slider["max"], slider["value"]) == ("0", "2", "1")
    assert slider["aria-valuetext"] == "5 cm. It is <5> wide."
    assert elements.one("label")["for"] == slider["id"]
    picture = elements.one("div", role="img")
    assert picture["aria-label"] == "Width & more"
    assert elements.one("p", id=picture["aria-describedby"])
    assert re.findall(r'<g id="(f\d)"/>', page) == ["f5"]
    assert "Scripts are off" in page and "<style>.w{fill:red}</style>" in page
    assert page.count("/explorable.js") == 1 == page.count("/explorable.css")
    assert elements.one("div", id="cell-width-live")
    assert "10\n" in re.sub(r"<[^>]*>", "", page)  # the live cell's output


def test_the_other_pictures_are_one_file(shelf: Shelf) -> None:
    book = shelf.build(files())
    name = Elements(book.page()).one("figure")["data-frames"]
    file = book.out / "_static" / "livecells" / "explorables" / name
    data = json.loads(file.read_text(encoding="utf-8"))
    assert data["values"] == ["1", "5", "9"]
    assert data["texts"] == ["1 cm", "5 cm", "9 cm"]
    pictures = data["pictures"]
    assert all(f'"f{n}"' in pictures[place] for place, n in enumerate((1, 5, 9)))
    assert data["summaries"][2] == "It is <9> wide."


def test_the_live_cell_can_be_left_out(shelf: Shelf) -> None:
    page = shelf.build(files(PAGE.replace("\n```\n", "\n:no-live:\n```\n"))).page()
    assert "livecell " not in page and "data-live" not in page
    assert "/explorable.js" in page and "/livecells.js" not in page


def test_without_scripts_the_figure_is_a_picture(shelf: Shelf) -> None:
    book = shelf.build(files(), livecells_enabled=False)
    assert book.warnings == ""
    page = book.page()
    assert '<g id="f5"/>' in page and "It is &lt;5&gt; wide." in page
    assert page.count("It is &lt;") == 1, "no summary kept for a slider"
    assert "range" not in page and '<script type="module"' not in page


@pytest.mark.parametrize("builder", ["text", "latex"])
def test_other_formats_get_the_summary(shelf: Shelf, builder: str) -> None:
    book = shelf.build(files(), builder=builder)
    assert book.warnings == ""
    (file,) = (f for f in book.out.glob("*.t*x*") if f.suffix in (".txt", ".tex"))
    assert "It is" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (PAGE.replace("mine:", "yours:"), "there is no module 'yours'"),
        (PAGE.replace(":explorable", ":nothing"), "mine has no function nothing"),
        (PAGE.replace(":explorable", ":broken"), "ZeroDivisionError"),
        (PAGE.replace(":explorable", ":other"), "must return an Explorable"),
        (PAGE.replace("width", "2 wide"), ":id: is '2 wide'"),
    ],
)
def test_an_error_names_what_to_mend(shelf: Shelf, page: str, words: str) -> None:
    assert words in shelf.build(files(page)).warnings


def test_a_folder_that_is_not_there_is_named(shelf: Shelf) -> None:
    book = shelf.build(files(), livecells_explorables="nowhere")
    assert "livecells_explorables is 'nowhere'" in book.warnings


def test_changed_code_draws_again(shelf: Shelf) -> None:
    one = shelf.build(files())
    two = shelf.build({**files(), "explorables/mine.py": MODULE.replace("It", "This")})
    assert "This is &lt;5&gt; wide." in two.page()
    names = [Elements(b.page()).one("figure")["data-frames"] for b in (one, two)]
    assert names[0] != names[1]


# ---- the figures of this book -----------------------------------------------


@pytest.fixture(scope="module")
def figures() -> dict[str, Explorable]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        return {name: importlib.import_module(name).explorable() for name in BOOK}


def test_these_are_all(figures: dict[str, Explorable]) -> None:
    modules = {file.stem for file in FOLDER.glob("*.py")} - HELPERS
    assert modules == set(BOOK)
    pages = {
        page.stem: set(re.findall(r"{explorable} (\w+):", page.read_text("utf-8")))
        for page in (ROOT / "book").glob("*.md")
    }
    assert pages["explore"] == set(EXPLORE)
    chapters = [found for page, found in pages.items() if re.match(r"\d", page)]
    assert set().union(*chapters) == set(BOOK), "each stands in its chapter"


@pytest.mark.parametrize("name", BOOK)
def test_a_figure_is_small_and_fit_for_every_reader(
    figures: dict[str, Explorable], name: str
) -> None:
    made = figures[name]
    assert len(gzip.compress(made.json().encode(), 6)) < 100_000
    assert made.live
    assert len({frame.summary for frame in made.frames}) == len(made.frames)
    for frame in made.frames:
        if name in STEPS:
            assert frame.picture.count('<th scope="col">') == 3
            assert frame.picture.count('<th scope="row">') == len(made.frames)
            assert frame.picture.count('class="now"') == 1
            continue
        words = re.findall(r"<text[^>]*>([^<]*)</text>", frame.picture)
        # A bar has its name and its length.
        least = 2 * frame.picture.count(" area") if name in BARS else 8
        assert len(words) >= max(least, 6), "labels stand in the picture"
        assert 'aria-hidden="true"' in frame.picture  # the summary says it
        # Text keeps its size on a phone: nothing scales the drawing as a whole.
        assert frame.picture.startswith('<svg class="xp"')
        assert "viewBox" not in frame.picture.partition(">")[0]
        assert "#" not in html.unescape(frame.picture), "colours are variables"


def test_a_second_run_draws_the_same(figures: dict[str, Explorable]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MAKE, "arrivals:explorable"],
        env={**os.environ, "PYTHONPATH": f"{FOLDER}{os.pathsep}{ROOT / 'src'}"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert json.loads(done.stdout)["json"] == figures["arrivals"].json()


def run_live(source: str) -> str:
    """What the live cell shows, as text."""
    outputs: list[dict[str, Any]] = []
    session = Session(outputs.append)
    status = asyncio.run(session.run_cell("cell", "Cell 1", source))
    assert status == "ok", outputs
    texts = [
        output["text"] if output["kind"] == "stream" else output["data"]["text/plain"]
        for output in outputs
    ]
    return "".join(texts)


def workers_agree(shown: str, summary: str) -> bool:
    worst, middle = re.match(
        r"[\d.]+ to ([\d.]+), median ([\d.]+) \(60 runs\)", shown
    ).groups()  # type: ignore[union-attr]
    said = re.findall(r"([\d.]+) s", summary)
    return [round(float(worst), 2), round(float(middle), 2)] == [
        round(float(text), 2) for text in said[:2]
    ]


def arrivals_agree(shown: str, summary: str) -> bool:
    counted = re.findall(r"at most (\d+) items", shown)
    return counted == re.findall(r"up to ([\d,]+)", summary.replace(",", ""))


def leases_agree(shown: str, summary: str) -> bool:
    found = re.search(r"lost of 100: ([\d ]+)\n", shown)
    run = re.search(r"<LeaseRun (\d+) processed, \d+ lost in ([\d.,]+) s", shown)
    assert found and run
    low, *_, high = found[1].split()
    span = low if low == high else f"{low} to {high}"
    took = f"{float(run[2].replace(',', '')):.0f} s"
    return f"runs {span} of 100" in summary and (
        f"{run[1]} are processed, and it takes {took}" in summary
    )


def clients_agree(shown: str, summary: str) -> bool:
    printed = re.findall(r"([\d,.]+) clients|with tasks: ([\d,.]+),", shown)
    said = re.findall(r"([\d,.]+) clients?\b", summary)
    numbers = [float("".join(pair).replace(",", "")) for pair in printed]
    return numbers == pytest.approx(
        [float(text.replace(",", "")) for text in said], rel=0.02
    )


def cpu_work_agrees(shown: str, summary: str) -> bool:
    (said,) = re.findall(r"a task each, in pieces, ([\d,]+) ms", summary)
    return round(1000 * float(shown)) == int(said.replace(",", ""))


def hops_agree(shown: str, summary: str) -> bool:
    printed = {hops: 1000 * took for hops, took in ast.literal_eval(shown).items()}
    said = re.findall(r"(\d+) hand-overs? ([\d.,]+) ms", summary)
    return printed == pytest.approx(
        {int(hops): float(took.replace(",", "")) for hops, took in said}
    )


def iterations_agree(shown: str, summary: str) -> bool:
    order = ast.literal_eval(shown)
    (names,) = re.findall(r"runs (.*)\.$", summary)
    ran = names.split(", ")
    return order[-len(ran) :] == ran


AGREE: dict[str, Callable[[str, str], bool]] = {
    "workers": workers_agree,
    "arrivals": arrivals_agree,
    "lost_leases": leases_agree,
    "clients": clients_agree,
    "cpu_work": cpu_work_agrees,
    "hops": hops_agree,
    "iterations": iterations_agree,
}


@pytest.mark.parametrize("name", BOOK)
def test_the_live_cell_tells_what_the_picture_tells(
    figures: dict[str, Explorable], name: str
) -> None:
    made = figures[name]
    first, _, rest = made.live.partition("\n")
    variable = first.partition(" = ")[0]
    for place in (0, made.place, len(made.values) - 1):
        shown = run_live(f"{variable} = {made.values[place]!r}\n{rest}")
        assert AGREE[name](shown, made.frames[place].summary), shown
    # The comparison sees a difference.
    assert not AGREE[name](shown, made.frames[0].summary)


def test_what_the_pages_say_of_the_figures(figures: dict[str, Explorable]) -> None:
    workers = importlib.import_module("workers")
    assert workers.finish(5) < 0.45 * workers.finish(1)
    assert workers.finish(200) > 0.8 * workers.finish(5)
    for count in workers.COUNTS:
        assert workers.lateness(count).max <= count * workers.CPU + 1e-9
        if count >= 4:  # fewer do not keep the thread busy
            assert workers.lateness(count).max > 0.7 * count * workers.CPU
    arrivals = importlib.import_module("arrivals")
    for rate in arrivals.RATES:
        free = arrivals.queue_run(rate, 0)
        bounded = arrivals.queue_run(rate, arrivals.BOUND)
        assert bounded.longest <= arrivals.BOUND
        assert bounded.wait <= (arrivals.BOUND + 2) * arrivals.SERVE
        if rate >= 110:
            assert free.longest > 2 * bounded.longest and bounded.held > 0.3
        if rate <= 80:
            assert free.longest == bounded.longest and bounded.held == 0
    leases = importlib.import_module("lost_leases")
    medians = [leases.often(work).lost.median for work in leases.WORK]
    assert medians[0] == 0 and medians[-1] > 90
