"""What the theme and autodoc write, put right."""

from __future__ import annotations

import accessible_theme
import pytest
import reference


@pytest.mark.parametrize(
    ("html", "fixed"),
    [
        (
            '<button class="btn search-button-field x" title="S" aria-label="Search" '
            'data-x="1">',
            '<button class="btn search-button-field x" title="S" data-x="1">',
        ),
        (
            '<a class="x" href="a.html">A &amp; "B"</a><details><summary>'
            '<span class="toctree-toggle">',
            '<a class="x" href="a.html">A &amp; "B"</a><details>'
            '<summary aria-label="Pages below A &amp; B"><span class="toctree-toggle">',
        ),
        (
            '<div role="list" class="citation-list">\n'
            '<div class="citation" id="id6" role="doc-biblioentry">',
            '<div class="citation-list">\n<div class="citation" id="id6">',
        ),
        ('<summary aria-label="Toggle hidden content">', "<summary>"),
        ('<button aria-label="Menu">', '<button aria-label="Menu">'),
    ],
)
def test_the_theme_is_fixed(html: str, fixed: str) -> None:
    assert accessible_theme.fix(html) == fixed
    assert accessible_theme.fix(fixed) == fixed


# --------------------------------------------------------------- the reference

SIGNATURES = [
    ("(a: list[~m.B] = <factory>)", "(a: list[~m.B] = ...)"),
    ("(make: ~t.Any = <class 'some.place.Loop'>)", "(make: ~t.Any = Loop)"),
    ("(kind: Any = Ellipsis, **o: Any)", "(kind: Any = ..., **o: Any)"),
    (
        "(job: ~c.Callable[[~P], ~m.T], *args: ~typing.~P, **kwargs: ~typing.~P)",
        "(job: ~c.Callable[P, ~m.T], *args: P.args, **kwargs: P.kwargs)",
    ),
    ("(a: int = 1) -> _Hidden", "(a: int = 1) -> _Hidden"),
]


@pytest.mark.parametrize(("printed", "written"), SIGNATURES)
def test_a_signature_is_as_a_reader_would_write_it(printed: str, written: str) -> None:
    assert reference.readable(printed) == written
