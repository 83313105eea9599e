"""Figures with a slider: checked, small, and true to the code beside them."""

from __future__ import annotations

import json
import re

import pytest
from bs4 import BeautifulSoup

from tests.contract.livecells.books import Built, Shelf

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
"""
PAGE = "# Page\n\n```{explorable} mine:explorable\n:id: width\n```\n"


def frames_of(book: Built) -> str:
    """The name of the file with a figure's pictures."""
    (name,) = re.findall(r'data-frames="([^"]+)"', book.page())
    return str(name)


def files(page: str = PAGE) -> dict[str, str]:
    return {"index.md": page, "explorables/mine.py": MODULE}


@pytest.mark.slow
def test_the_page_has_the_slider_and_the_first_picture(shelf: Shelf) -> None:
    book = shelf.build(files())
    assert book.warnings == ""
    page = book.page()
    soup = BeautifulSoup(page, "html.parser")
    (figure,) = soup.select("figure#explorable-width")
    assert figure["data-live"] == "cell-width-live"
    (slider,) = soup.select("input[type=range]")
    assert (slider["min"], slider["max"], slider["value"]) == ("0", "2", "1")
    assert slider["aria-valuetext"] == "5 cm. It is <5> wide."
    assert [label["for"] for label in soup.select("label")] == [slider["id"]]
    (picture,) = soup.select("div[role=img]")
    assert picture["aria-label"] == "Width & more"
    assert soup.find("p", id=picture["aria-describedby"])
    assert re.findall(r'<g id="(f\d)"/>', page) == ["f5"]
    assert "Scripts are off" in page and "<style>.w{fill:red}</style>" in page
    assert page.count("/explorable.js") == 1 == page.count("/explorable.css")
    assert soup.find("div", id="cell-width-live")
    assert "10\n" in re.sub(r"<[^>]*>", "", page)  # the live cell's output


def test_the_other_pictures_are_one_file(shelf: Shelf) -> None:
    book = shelf.build(files())
    name = frames_of(book)
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
        (PAGE.replace(":explorable", ":broken"), "ZeroDivisionError"),
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
    assert frames_of(one) != frames_of(two)
