"""Books with live cells and figures: the marks, what each page gets, what is said."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from sphinx.errors import ExtensionError

from livecells.options import OPTIONS
from tests.contract.livecells.books import (
    FIGURE,
    MODULE,
    Built,
    Shelf,
    code,
    notebook,
    printed,
    text,
)
from tests.fast.livecells.sphinx.test_texts import TABLE

LAB = notebook(
    text("# Cell one\n\n```text\nfour\n```"),
    code("x = 1", "first"),
    code("print(x)", "second", outputs=[printed("1\n")]),
    code("print(2)", "slow", tags=["measured", "x"], outputs=[printed("2\n")]),
    code("2", "folded", tags=["measured", "hide-input"]),
    code("a = 1", "hidden", tags=["live", "hide-cell"]),
    code("b = 1", "no-input", tags=["live", "remove-input"]),
    code("c = 1", "gone", tags=["live", "remove-cell"]),
    code("x = 1", "one"),
    code("print()", "wide", outputs=[printed(TABLE)]),
)
TEXT_NOTEBOOK = """\
---
jupytext: {text_representation: {format_name: myst}}
kernelspec: {name: python3, display_name: Python 3}
---
# Text

```{code-cell} python
:tags: [live]
:name: named
print(1)
```

```{code-cell} python
:tags: [live]
print(2)
```
"""
MORE = {
    "livecells_reasons": {"measured": "It measures <real> time."},
    "suppress_warnings": ["myst-nb.lexer"],  # a text notebook names no language
}


def worth(**data: str) -> dict[str, Any]:
    """The output of a value."""
    kinds = {f"text/{kind}": text for kind, text in data.items()}
    more = {"metadata": {}, "execution_count": 1}
    return {"output_type": "execute_result", "data": kinds, **more}


#: Cells with what they show.
SHOWING = {
    "x = 41\nprint('a')\nprint('b <c>')": printed("a\nb <c>\n"),
    "[x + 1, 'two']": worth(plain="[42, 'two']"),
    "class P:\n    def _repr_html_(self):\n        return '<b>é</b>'\n"
    "    def __repr__(self):\n        return 'P'\nP()": worth(
        html="<b>é</b>", plain="P"
    ),
    "import sys\nprint('oops', file=sys.stderr)": {
        **printed("oops\n"),
        "name": "stderr",
    },
}


def written(*sources: str, options: str = "") -> str:
    """A page with live cells."""
    return "# Page\n\n" + "\n\n".join(
        f"```{{livecell}}\n{options}{source}\n```" for source in sources
    )


FILES = {
    "index.md": "# Book\n\n```{toctree}\n:glob:\n*\nlabs/deep/*\n```\n",
    "plain.md": "# Plain\n\n```{livecells-options}\n```\n",
    "labs/deep/lab.ipynb": LAB,
    "written.md": written(*SHOWING),
    "twin.ipynb": notebook(
        text("# Page"),
        *(
            code(source, f"c{place}", outputs=[output])
            for place, (source, output) in enumerate(SHOWING.items())
        ),
    ),
    "mine.md": written("print(7)", options=":id: mine\n:hide-input:\n"),
    "textual.md": TEXT_NOTEBOOK,
    "figure.md": FIGURE,
    "still.md": FIGURE.replace("width\n", "still\n:no-live:\n"),
    "sizes.md": written("1") + "\n\n```{livecells-sizes}\n```\n",
    "explorables/mine.py": MODULE,
}


@pytest.fixture(scope="module")
def shelf_of_module(
    node_modules: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Shelf:
    return Shelf(tmp_path_factory.mktemp("book"), cache)


@pytest.fixture(scope="module")
def book(shelf_of_module: Shelf) -> Built:
    return shelf_of_module.build(FILES, **MORE)


def soup(book: Built, page: str) -> BeautifulSoup:
    return BeautifulSoup(book.page(page), "html.parser")


def cells(book: Built, page: str) -> list[str]:
    """The ids of the live cells of a page."""
    return [str(cell["id"]) for cell in soup(book, page).select("div.cell.livecell")]


def outputs(book: Built, page: str) -> list[str]:
    return [str(part) for part in soup(book, page).select(".cell_output")]


def test_the_live_cells_are_marked_and_each_has_its_own_id(book: Built) -> None:
    assert book.warnings == ""
    lab = soup(book, "labs/deep/lab")
    ids = ["cell-first", "cell-second", "cell-hidden", "cell-one-2", "cell-wide"]
    assert cells(book, "labs/deep/lab") == ids, "what is removed is not live"
    assert lab.select_one("#cell-one.cell") is None, "that is the heading's"
    # A cell without a name is called after its text, wherever it stands.
    named, other = cells(book, "textual")
    assert named == "cell-named"
    assert re.fullmatch(r"cell-code-[0-9a-f]{8}", other)
    (mine,) = soup(book, "mine").select("#cell-mine")
    assert mine.find_parent("details") or mine.select_one("details .cell_input")


def test_a_cell_that_does_not_run_says_why_at_its_foot(book: Built) -> None:
    lab = soup(book, "labs/deep/lab")
    reasons = lab.select("p.livecell-reason")
    assert [reason.text for reason in reasons] == ["It measures <real> time."] * 2
    assert [bool(reason.find_parent("details")) for reason in reasons] == [False, True]


def test_an_output_carries_its_size(book: Built) -> None:
    lab = soup(book, "labs/deep/lab")
    table = lab.select_one("#cell-wide .output.livecell-table")
    assert table and table["style"] == "--livecell-columns: 19;"
    block = lab.select_one(".highlight-text")
    assert block and block["style"] == "--livecell-columns: 4;"


def test_a_written_cell_looks_like_one_of_a_notebook(book: Built) -> None:
    assert len(outputs(book, "written")) == len(SHOWING)
    assert outputs(book, "written") == outputs(book, "twin")


def test_a_page_gets_what_it_needs_by_relative_addresses(book: Built) -> None:
    for name in ("index", "plain"):
        assert not soup(book, name).select("[class*=livecell], script[src*=livecell]")
    page, place = book.page("labs/deep/lab"), book.out / "labs" / "deep"
    assert page.count('<script id="livecells-config"') == 1
    assert page.count("<noscript>") == 1 == page.count('class="livecells-absent"')
    assert page.index("<noscript>") < page.index('id="cell-first"')
    loaded = re.findall(r'(?:src|href)="([^"]*livecells[^"]*)"', page)
    assert {name.rpartition("/")[2] for name in loaded} >= {
        "livecells.js",
        "livecells.css",
    }
    settings = book.settings("labs/deep/lab")
    for name in [*loaded, *(settings["assets"] + name for name in settings["files"])]:
        assert name.startswith("../../_static/livecells/")
        assert (place / name).is_file(), name
    assert '<script type="module" src="../../_static/livecells/' in page


def test_the_tables_of_options_and_sizes(book: Built) -> None:
    shown = html.unescape(re.sub(r"<[^>]*>", "", book.page("plain")))
    for option in OPTIONS:
        assert f"{option.name} = {option.default!r}" in shown
    rows = re.findall(r"<p>([\d.]+) (kB|MB)</p>", book.page("sizes"))
    sizes = [float(n) * (1000 if unit == "kB" else 1e6) for n, unit in rows]
    assert sum(sizes[:-1]) == pytest.approx(sizes[-1], rel=0.02)
    files = book.settings("sizes")["files"].values()
    assert sizes[-1] == pytest.approx(sum(f["gzip"] for f in files), rel=0.02)


def test_a_figure_has_its_slider_and_the_first_picture(book: Built) -> None:
    page = soup(book, "figure")
    (figure,) = page.select("figure#explorable-width")
    assert figure["data-live"] == "cell-width-live" == cells(book, "figure")[0]
    (slider,) = page.select("input[type=range]")
    assert (slider["min"], slider["max"], slider["value"]) == ("0", "2", "1")
    assert slider["aria-valuetext"] == "5 cm. It is <5> wide."
    assert [label["for"] for label in page.select("label")] == [slider["id"]]
    (picture,) = page.select("div[role=img]")
    assert picture["aria-label"] == "Width & more"
    assert page.find("p", id=picture["aria-describedby"])
    assert [g["id"] for g in page.select("g")] == ["f5"]
    assert "Scripts are off" in book.page("figure")
    assert "<style>.w{fill:red}</style>" in book.page("figure")
    assert "10" in "".join(outputs(book, "figure")), "its live cell's"
    still = book.page("still")
    assert "/explorable.js" in still and "/livecells.js" not in still

    name = str(figure["data-frames"])
    file = book.out / "_static" / "livecells" / "explorables" / name
    data = json.loads(file.read_text(encoding="utf-8"))
    assert data["values"] == ["1", "5", "9"]
    assert data["texts"] == ["1 cm", "5 cm", "9 cm"]
    for n, drawn in zip((1, 5, 9), data["pictures"], strict=True):
        assert f'"f{n}"' in drawn
    assert data["summaries"][2] == "It is <9> wide."


def test_many_processes_build_the_same_pages(
    book: Built, shelf_of_module: Shelf
) -> None:
    again = shelf_of_module.build(FILES, parallel=2, **MORE)
    assert again.warnings == ""
    for page in book.out.rglob("*.html"):
        assert (
            again.out / page.relative_to(book.out)
        ).read_bytes() == page.read_bytes()


def test_a_book_without_scripts_is_the_plain_book(
    book: Built, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {**FILES, "node_modules/some/README.md": "no title"}
    del files["plain.md"], files["sizes.md"]
    nowhere = dict.fromkeys(
        ("livecells_node_modules", "livecells_pyodide"), "node_modules"
    )
    off = shelf.build(files, livecells_enabled=False, **MORE, **nowhere)
    assert off.warnings == ""
    assert not (off.out / "_static" / "livecells").exists()
    assert not (off.out / "node_modules").exists(), "they are no pages of the book"
    assert ">1\n<" in off.page("labs/deep/lab")
    figure = off.page("figure")
    assert '<g id="f5"/>' in figure and figure.count("It is &lt;5&gt; wide.") == 1
    for page in ("labs/deep/lab", "figure", "written"):
        assert not soup(off, page).select(
            "[class*=livecell], [type=range], [type=module]"
        )
    monkeypatch.setenv("LIVECELLS_ENABLED", "0")
    switched = shelf.build({"index.ipynb": LAB}, **nowhere)
    assert "livecells" not in switched.page()


@pytest.mark.parametrize("builder", ["text", "latex", "dirhtml"])
def test_other_formats(shelf: Shelf, builder: str) -> None:
    page = written("print(40 + 2)") + FIGURE.partition("\n")[2]
    book = shelf.build(
        {"index.md": page, "explorables/mine.py": MODULE}, builder=builder
    )
    assert book.warnings == ""
    if builder == "dirhtml":
        assert (book.out / book.settings()["assets"] / "livecells.js").is_file()
        return
    (file,) = (f for f in book.out.glob("*.t*x*") if f.suffix in (".txt", ".tex"))
    content = file.read_text(encoding="utf-8")
    assert "42" in content and "It is" in content
    assert "noscript" not in content and "livecells" not in content


def test_each_fault_is_a_warning_that_names_it(shelf: Shelf) -> None:
    lab = notebook(
        text("# Lab"),
        code("import json", "fine"),
        code("x = 1\nimport numpy as np", "lacking"),
        code("import tkinter", "none-either"),
    )
    figures = FIGURE.replace(":explorable", ":broken").replace("width", "a")
    figures += FIGURE.replace("mine:", "yours:").replace("# Page", "")
    figures += FIGURE.replace("# Page", "").replace("width", "2 wide")
    book = shelf.build(
        {
            "index.md": "# Book\n\n```{toctree}\n:glob:\n*\n```\n",
            "lab.ipynb": lab,
            "alone.ipynb": notebook(text("# Lab"), code("import numpy", "a")),
            "error.md": written("print('before')", "1 / 0"),
            "endless.md": written("while True: pass"),
            "spaces.md": written("print(7)", options=":id: no spaces\n"),
            "figures.md": figures,
            "explorables/mine.py": MODULE,
        },
        livecells_timeout=2,
    )
    for words in (
        "live cell 'lacking' imports numpy in line 2",
        "live cell 'none-either' imports tkinter in line 1",
        "error.md:7: WARNING: live cell",
        "ZeroDivisionError",
        "ran longer than 2 s",
        ":id: is 'no spaces'",
        "there is no module 'yours'",
        ":id: is '2 wide'",
    ):
        assert words in book.warnings
    assert cells(book, "lab") == ["cell-fine"]
    assert "livecells" not in book.page("alone")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("livecells_wheels", ["x.whl"], "names 'x.whl', and .* is not there"),
        ("livecells_wheels", ["index.ipynb"], "no wheel and has no pyproject.toml"),
        (
            "livecells_wheels",
            ["x-1-cp311-cp311-linux.whl"],
            "a pure Python wheel",
        ),
        ("livecells_pyodide", "nix", "livecells_pyodide is 'nix'.*run npm ci"),
        ("livecells_node_modules", "nix", "is 'nix', .* has no esbuild: run npm ci"),
    ],
)
def test_a_bad_option_is_named_with_the_fix(
    shelf: Shelf, option: str, value: Any, words: str
) -> None:
    files = {"index.ipynb": LAB, "x-1-cp311-cp311-linux.whl": ""}
    with pytest.raises(ExtensionError, match=words):
        shelf.build(files, **{option: value})


def test_only_what_has_changed_runs_again(shelf: Shelf, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    source = f"with open({str(mark)!r}, 'a') as f: _ = f.write('x')"
    files = {"index.md": written(source) + FIGURE.partition("\n")[2]}
    one = shelf.build({**files, "explorables/mine.py": MODULE})
    shelf.build({**files, "explorables/mine.py": MODULE})
    assert mark.read_text() == "x"
    files["index.md"] = files["index.md"].replace(source, f"{source}; _")
    two = shelf.build({**files, "explorables/mine.py": MODULE.replace("It", "This")})
    assert mark.read_text().endswith("xx")
    frames = [figure(book)["data-frames"] for book in (one, two)]
    assert frames[0] != frames[1] and "This is &lt;5&gt; wide." in two.page()


def figure(book: Built) -> Tag:
    (found,) = soup(book, "index").select("figure.explorable")
    return found
