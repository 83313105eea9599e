"""What a cell shows, and what it leaves in order."""

from __future__ import annotations

import json
import sys

import pytest

from tests.fast.livecells.runtime.pages import Page


def test_print_and_the_last_value_are_shown(page: Page) -> None:
    assert page.run("print('a')\nprint('b')\n1 + 1") == [
        {"kind": "stream", "name": "stdout", "text": "a\nb\n"},
        {"kind": "display", "data": {"text/plain": "2"}, "result": True},
    ]


@pytest.mark.parametrize(
    "source", ["3;", "3 ;  # three", "x = 3", "None", "", "# nothing", "def f(): pass"]
)
def test_nothing_is_shown_where_nothing_is_to_show(page: Page, source: str) -> None:
    assert page.run(source) == []
    assert page.status == "ok"


@pytest.mark.parametrize("source", ["'a;'", "3  # a; b", "('ä', \n 3) # ;"])
def test_a_semicolon_elsewhere_hides_nothing(page: Page, source: str) -> None:
    assert len(page.run(source)) == 1


def test_a_value_that_can_be_html_is_html_and_text(page: Page) -> None:
    page.run("""
        class Both:
            def _repr_html_(self): return "<b>x</b>"
            def __repr__(self): return "x"
        class Picture:
            def _repr_svg_(self): return "<svg></svg>"
            def __repr__(self): return "y"
        class Neither:
            def _repr_html_(self): return None
            def __getattr__(self, name): return lambda: "no"
            def __repr__(self): return "z"
    """)
    data = [page.run(f"{name}()", "c2")[0]["data"] for name in ("Both", "Picture")]
    assert data == [
        {"text/html": "<b>x</b>", "text/plain": "x"},
        {"image/svg+xml": "<svg></svg>", "text/plain": "y"},
    ]
    assert page.run("Neither()", "c2")[0]["data"] == {"text/plain": "z"}


def test_both_streams_keep_their_order(page: Page) -> None:
    outputs = page.run("""
        import sys
        print("a")
        print("b", file=sys.stderr)
        print("c")
    """)
    assert [(o["name"], o["text"]) for o in outputs] == [
        ("stdout", "a\n"),
        ("stderr", "b\n"),
        ("stdout", "c\n"),
    ]


def test_a_repr_that_raises_is_told_and_is_no_error(page: Page) -> None:
    [output] = page.run("""
        class Bad:
            def __repr__(self): raise ValueError("no")
        Bad()
    """)
    assert output["data"]["text/plain"] == "<Bad: its repr() raised ValueError: no>"
    assert page.status == "ok"


def test_text_that_is_not_unicode_still_leaves(page: Page) -> None:
    text = page.text(r"print('a\ud800b')")
    assert json.loads(json.dumps(text)).encode() == b"a?b\n"


def test_the_host_gets_its_streams_and_main_back(page: Page) -> None:
    before = sys.stdin, sys.stdout, sys.stderr, sys.modules["__main__"]
    page.run("import sys\nsys.stdout = None\nsys.modules['__main__'] = None")
    page.run("1 / 0")
    assert (sys.stdin, sys.stdout, sys.stderr, sys.modules["__main__"]) == before


def test_dataclasses_of_a_cell_find_their_module(page: Page) -> None:
    text = page.text("""
        from __future__ import annotations
        from dataclasses import dataclass
        @dataclass
        class Point:
            x: int
        print(Point(1))
    """)
    assert text == "Point(x=1)\n"


def test_the_last_value_has_a_name_unless_a_reader_takes_it(page: Page) -> None:
    page.run("5")
    page.run("None")
    assert page.text("print(_)") == "5\n"
    assert page.run("_ + 1;") == []
    page.run("_ = 'mine'")
    page.run("7")
    assert page.text("print(_)") == "mine\n"


def test_display_shows_each_value(page: Page) -> None:
    assert page.run("display(1, 'b')\ndisplay()") == [
        {"kind": "display", "data": {"text/plain": text}, "result": False}
        for text in ("1", "'b'")
    ]


def test_what_could_stand_there_is_asked_of_the_cells_names(page: Page) -> None:
    page.run("word_of_mine = 1")
    [option] = page.session.complete("word_of")["options"]
    assert option["label"] == "word_of_mine"
