"""The extension marks live cells, gives each page what it needs, and nothing more."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from sphinx.errors import ExtensionError

from livecells.options import OPTIONS
from tests.contract.livecells.books import Shelf, code, notebook, printed, text

CELL = re.compile(r'<div class="(cell [^"]*)"(?: id="([^"]*)")?>')
LAB = notebook(
    text("# Lab"),
    code("x = 1", "first"),
    code("print(x)", "second", outputs=[printed("1\n")]),
    code("print(2)", "measured", tags=["measured"], outputs=[printed("2\n")]),
)
PLAIN = "# Plain\n\nNothing runs here.\n"


def cells(page: str) -> dict[str, list[str]]:
    """The ids of the live cells of a page with their classes."""
    found = {id_: names.split() for names, id_ in CELL.findall(page)}
    return {i: names for i, names in found.items() if "livecell" in names}


def outputs(page: str) -> list[str]:
    """The HTML of each cell's output."""
    found = []
    for start in re.finditer('<div class="cell_output docutils container">', page):
        depth = 0
        for tag in re.finditer(r"<(/?)div\b", page[start.start() :]):
            depth += -1 if tag[1] else 1
            if not depth:
                found.append(page[start.start() :][: tag.start()])
                break
    return found


# ---- marks ------------------------------------------------------------------


def test_the_live_cells_of_a_notebook_are_marked(shelf: Shelf) -> None:
    book = shelf.build({"index.ipynb": LAB})
    assert book.warnings == ""
    found = cells(book.page())
    assert list(found) == ["cell-first", "cell-second"]
    assert found["cell-first"][:3] == ["cell", "tag_live", "livecell"]


def test_another_tag_can_be_chosen(shelf: Shelf) -> None:
    book = shelf.build({"index.ipynb": LAB}, livecells_tag="measured")
    assert list(cells(book.page())) == ["cell-measured"]


def test_a_hidden_cell_is_live_and_a_removed_one_is_not(shelf: Shelf) -> None:
    book = shelf.build(
        {
            "index.ipynb": notebook(
                text("# Lab"),
                code("a = 1", "hidden", tags=["live", "hide-cell"]),
                code("b = 1", "no-input", tags=["live", "remove-input"]),
                code("c = 1", "gone", tags=["live", "remove-cell"]),
            )
        }
    )
    assert list(cells(book.page())) == ["cell-hidden"]


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


def test_a_text_notebook_gets_ids_that_stay(shelf: Shelf) -> None:
    other = TEXT_NOTEBOOK.replace("# Text", "# Text\n\nProse.").replace("(1)", "(3)")
    pages = [shelf.build({"index.md": text}).page() for text in (TEXT_NOTEBOOK, other)]
    one, two = [list(cells(page)) for page in pages]
    assert one == two
    assert one[0] == "cell-named" and re.fullmatch(r"cell-code-[0-9a-f]{8}", one[1])


def test_an_id_does_not_meet_the_id_of_a_heading(shelf: Shelf) -> None:
    page = shelf.build(
        {"index.ipynb": notebook(text("# Cell one"), code("x = 1", "one"))}
    ).page()
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids)) and {"cell-one", "cell-one-2"} <= set(ids)


# ---- what a page gets -------------------------------------------------------


def test_only_pages_with_live_cells_get_anything(shelf: Shelf) -> None:
    toc = "# Book\n\n```{toctree}\nplain\nlabs/deep/lab\n```\n"
    book = shelf.build({"index.md": toc, "plain.md": PLAIN, "labs/deep/lab.ipynb": LAB})
    assert book.warnings == ""
    assert "livecell" not in book.page("plain") + book.page("index")
    page = book.page("labs/deep/lab")
    assert page.count('<script id="livecells-config"') == 1
    assert page.count("<noscript>") == 1 == page.count('class="livecells-absent"')
    assert page.index("<noscript>") < page.index('id="cell-first"')


def test_every_address_is_relative_and_leads_to_a_file(shelf: Shelf) -> None:
    toc = "# Book\n\n```{toctree}\nlabs/deep/lab\n```\n"
    book = shelf.build({"index.md": toc, "labs/deep/lab.ipynb": LAB})
    page, here = book.page("labs/deep/lab"), book.out / "labs" / "deep"
    found = re.findall(r'(?:src|href)="([^"]*livecells[^"]*)"', page)
    assert any(name.endswith("/livecells.js") for name in found)
    assert any(name.endswith("/livecells.css") for name in found)
    settings = book.settings("labs/deep/lab")
    assert settings["assets"].endswith("/")
    for name in [*found, *(settings["assets"] + name for name in settings["files"])]:
        assert name.startswith("../../_static/livecells/")
        assert (here / name).is_file(), name
    assert '<script type="module" src="../../_static/livecells/' in page


def test_pages_that_are_folders_work_too(shelf: Shelf) -> None:
    toc = "# Book\n\n```{toctree}\nlab\n```\n"
    book = shelf.build({"index.md": toc, "lab.ipynb": LAB}, builder="dirhtml")
    settings = book.settings("lab/index")
    assert (book.out / "lab" / settings["assets"] / "livecells.js").is_file()


def test_a_book_without_scripts_is_the_plain_book(shelf: Shelf) -> None:
    book = shelf.build(
        {"index.ipynb": LAB},
        livecells_enabled=False,
        livecells_node_modules="nowhere",
        livecells_pyodide="nowhere",
    )
    assert book.warnings == ""
    page = book.page()
    assert "livecell" not in page.replace("tag_live", "")
    assert not (book.out / "_static" / "livecells").exists()
    assert ">1\n<" in page


def test_the_environment_can_switch_it_off(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIVECELLS_ENABLED", "0")
    book = shelf.build({"index.ipynb": LAB}, livecells_node_modules="nowhere")
    assert "livecells" not in book.page()


@pytest.mark.parametrize("builder", ["text", "latex"])
def test_other_formats_get_the_text_only(shelf: Shelf, builder: str) -> None:
    page = "# Page\n\n```{livecell}\nprint(40 + 2)\n```\n"
    book = shelf.build({"index.md": page}, builder=builder)
    assert book.warnings == ""
    (file,) = (f for f in book.out.glob("*.t*x*") if f.suffix in (".txt", ".tex"))
    found = file.read_text(encoding="utf-8")
    assert "42" in found and "noscript" not in found and "livecells" not in found


def test_many_processes_build_the_same_pages(shelf: Shelf) -> None:
    files = {f"lab{n}.ipynb": LAB for n in range(6)}
    names = "\n".join(f"lab{n}" for n in range(6))
    files["index.md"] = f"# Book\n\n```{{toctree}}\n{names}\n```\n"
    one, two = shelf.build(files), shelf.build(files, parallel=2)
    assert two.warnings == ""
    for page in [*(f"lab{n}" for n in range(6)), "index"]:
        assert one.page(page) == two.page(page)


# ---- options ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("livecells_wheels", ["x.whl"], "names 'x.whl', and .* is not there"),
        ("livecells_wheels", ["index.ipynb"], "is no wheel and has no pyproject.toml"),
        ("livecells_pyodide", "nix", "livecells_pyodide is 'nix'.*run npm ci"),
        ("livecells_node_modules", "nix", "is 'nix', .* has no esbuild: run npm ci"),
    ],
)
def test_a_bad_option_is_named_with_the_fix(
    shelf: Shelf, option: str, value: Any, words: str
) -> None:
    with pytest.raises(ExtensionError, match=words):
        shelf.build({"index.ipynb": LAB}, **{option: value})


def test_a_wheel_for_one_kind_of_machine_is_refused(
    shelf: Shelf, tmp_path: Path
) -> None:
    wheel = tmp_path / "x-1-cp311-cp311-linux_x86_64.whl"
    wheel.write_bytes(b"")
    with pytest.raises(ExtensionError, match="needs a pure Python wheel"):
        shelf.build({"index.ipynb": LAB}, livecells_wheels=[str(wheel)])


def test_the_pages_of_npm_packages_are_no_pages_of_the_book(shelf: Shelf) -> None:
    book = shelf.build(
        {"index.ipynb": LAB, "node_modules/some/README.md": "no title"},
        livecells_node_modules="node_modules",
        livecells_enabled=False,
    )
    assert "some" not in book.warnings
    assert not (book.out / "node_modules").exists()


def test_the_table_of_options_shows_them_all(shelf: Shelf) -> None:
    page = shelf.build(
        {"index.md": "# Options\n\n```{livecells-options}\n```\n"}
    ).page()
    shown = html.unescape(re.sub(r"<[^>]*>", "", page))
    for option in OPTIONS:
        assert f"{option.name} = {option.default!r}" in shown


def test_the_table_of_sizes_adds_up(shelf: Shelf) -> None:
    book = shelf.build(
        {"index.ipynb": LAB, "sizes.md": "# S\n\n```{livecells-sizes}\n```\n"},
        suppress_warnings=["toc.not_included"],
    )
    rows = re.findall(r"<p>([\d.]+) (kB|MB)</p>", book.page("sizes"))
    sizes = [float(n) * (1000 if unit == "kB" else 1e6) for n, unit in rows]
    assert sum(sizes[:-1]) == pytest.approx(sizes[-1], rel=0.02)
    files = book.settings()["files"].values()
    assert sizes[-1] == pytest.approx(sum(f["gzip"] for f in files), rel=0.02)


# ---- {livecell} -------------------------------------------------------------


def written(*sources: str, options: str = "") -> str:
    """A page with live cells."""
    return "# Page\n\n" + "\n\n".join(
        f"```{{livecell}}\n{options}{source}\n```" for source in sources
    )


def worth(**data: str) -> dict[str, Any]:
    """The output of a value."""
    kinds = {f"text/{kind}": text for kind, text in data.items()}
    return {
        "output_type": "execute_result",
        "data": kinds,
        "metadata": {},
        "execution_count": 1,
    }


SHOWING = {
    "print('a')\nprint('b <c>')": printed("a\nb <c>\n"),
    "[1, 'two']": worth(plain="[1, 'two']"),
    "class P:\n    def _repr_html_(self):\n        return '<b>é</b>'\n"
    "    def __repr__(self):\n        return 'P'\nP()": worth(
        html="<b>é</b>", plain="P"
    ),
    "import sys\nprint('oops', file=sys.stderr)": {
        **printed("oops\n"),
        "name": "stderr",
    },
}


def test_a_written_cell_looks_like_one_of_a_notebook(shelf: Shelf) -> None:
    made = [
        code(source, f"c{place}", outputs=[output])
        for place, (source, output) in enumerate(SHOWING.items())
    ]
    lab = shelf.build({"index.ipynb": notebook(text("# Page"), *made)})
    page = shelf.build({"index.md": written(*SHOWING)})
    assert page.warnings == ""
    assert len(outputs(page.page())) == len(SHOWING)
    assert outputs(page.page()) == outputs(lab.page())


def test_written_cells_share_their_names_in_order(shelf: Shelf) -> None:
    page = shelf.build({"index.md": written("x = 41", "print(x + 1)", "x * 2")}).page()
    assert [re.sub(r"<[^>]*>|\s", "", one) for one in outputs(page)] == [
        "42",
        "82",
    ]


def test_an_error_in_a_written_cell_is_a_warning(shelf: Shelf) -> None:
    book = shelf.build({"index.md": written("print('before')", "1 / 0")})
    assert "WARNING: live cell" in book.warnings
    assert "ZeroDivisionError" in book.warnings
    assert "index.md:7" in book.warnings


def test_a_cell_that_does_not_end_is_stopped(shelf: Shelf) -> None:
    book = shelf.build({"index.md": written("while True: pass")}, livecells_timeout=2)
    assert "ran longer than 2 s" in book.warnings


def test_options_of_a_written_cell(shelf: Shelf) -> None:
    options = ":id: mine\n:hide-input:\n"
    book = shelf.build({"index.md": written("print(7)", options=options)})
    assert book.warnings == ""
    page = book.page()
    assert list(cells(page)) == ["cell-mine"]
    assert page.index("<details") < page.index("cell_input") < page.index("</details>")
    book = shelf.build({"index.md": written("print(7)", options=":id: no spaces\n")})
    assert ":id: is 'no spaces'" in book.warnings
    assert "livecell" not in "".join(cells(book.page()))


def test_the_second_build_does_not_run_the_cells_again(
    shelf: Shelf, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    source = f"with open({str(mark)!r}, 'a') as f: _ = f.write('x')"
    shelf.build({"index.md": written(source)})
    shelf.build({"index.md": written(source)})
    assert mark.read_text() == "x"
    shelf.build({"index.md": written(source + " ")})
    assert mark.read_text() in ("x", "xx")
    shelf.build({"index.md": written(source + "; _")})
    assert mark.read_text().endswith("xx")
