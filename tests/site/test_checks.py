"""Each check of the site catches a page that was made wrong on purpose."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from playwright.sync_api import TimeoutError as TooLate

from tests.site import checks

Make = Callable[..., checks.Visitor]

SIGN = """
  background:
    linear-gradient(to right, white 40%, transparent) left / 3rem 100% no-repeat local,
    linear-gradient(to left, white 40%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to right, #888, transparent) left / 1rem 100% no-repeat scroll,
    linear-gradient(to left, #888, transparent) right / 1rem 100% no-repeat scroll
"""
STYLE = """
  body { margin: 0; font-family: sans-serif; }
  pre { overflow-x: auto; }
  .skip { position: absolute; left: -999px; }
  .skip:focus { left: 0; }
  :focus-visible { outline: 2px solid; }
"""
STYLE += f"pre {{ {SIGN} }}"
GOOD = """
<main id="main-content" tabindex="-1"><article>
<h1>Title</h1>
<p>It is 1.5 s late. <a href="other.html#there">Other</a> <a href="#">Top</a></p>
<details><summary>Answer</summary><p>42</p></details>
<div class="cell_output"><pre tabindex="0">output {wide}</pre></div>
<svg role="img" aria-label="a line"><path d="M0 0"/></svg>
<img src="dot.svg" alt="a dot">
{extra}
</article></main>
"""


class Folder:
    """A small site, one page of which can be made wrong."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "dot.svg").write_text(
            '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>'
        )
        self.write("other.html", '<p id="there">There</p>')

    def write(self, name: str, extra: str = "", *, skip: bool = True) -> None:
        link = '<a class="skip" href="#main-content">Skip to main</a>' if skip else ""
        body = GOOD.format(wide="x" * 400, extra=dedent(extra))
        (self.path / name).write_text(
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>Page</title><style>{STYLE}</style></head>"
            f"<body>{link}{body}</body></html>",
            encoding="utf-8",
        )


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def served(small: Folder) -> Iterator[str]:
    with checks.serve(small.path) as address:
        yield address + "/"


@pytest.fixture(scope="module")
def one(served: str, visitor: Make) -> checks.Visitor:
    return visitor(served)


def visit(
    small: Folder, one: checks.Visitor, extra: str = "", *, skip: bool = True
) -> checks.Visit:
    small.write("page.html", extra, skip=skip)
    return one.visit("page.html")


def test_what_is_fetched_early_is_told() -> None:
    parts = ("livecells.js", "livecells.css", "explorables/explorable.js", "worker.js")
    asked = [f"http://site.invalid/_static/livecells/b1/{part}" for part in parts]
    visit = checks.Visit(None, "p", "http://site.invalid", requests=asked)
    assert visit.fetched_early == ["p: asked /_static/livecells/b1/worker.js"]


def test_a_good_page_passes_every_check(
    small: Folder, one: checks.Visitor, served: str, visitor: Make, axe: Path
) -> None:
    found = visit(small, one)
    page = found.page
    assert checks.axe_violations(page, "p") == []
    assert checks.without_alternative(page, "p") == []
    assert checks.keyboard_faults(page, "p") == []
    assert checks.out_of_sight(page, "p") == []
    words = checks.article_text(page)
    assert checks.too_wide(page, "p") == []
    assert found.errors == []
    assert found.foreign == []
    assert checks.broken_links(small.path) == []
    plain = visitor(served, java_script_enabled=False).visit("page.html")
    assert checks.lost_without_scripts(plain.page, "p", words) == []
    below = visitor(served.rstrip("/") + checks.SUB_PATH).visit("page.html")
    assert below.errors == []
    assert below.page.title() == "Page"


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ("<script>nothing_there()</script>", "script error: nothing_there"),
        ("<script>console.error('oh')</script>", "console error: oh"),
        ('<img src="gone.png" alt="gone">', "404 for"),
    ],
)
def test_errors_are_caught(
    small: Folder, one: checks.Visitor, extra: str, says: str
) -> None:
    found = visit(small, one, extra)
    assert any(says in error for error in found.errors), found.errors


def test_a_third_party_request_is_caught(small: Folder, one: checks.Visitor) -> None:
    found = visit(small, one, '<img src="http://elsewhere.invalid/x.png" alt="x">')
    assert found.foreign == ["page.html: asked http://elsewhere.invalid/x.png"]


def test_a_request_outside_the_sub_path_is_caught(
    small: Folder, served: str, visitor: Make
) -> None:
    small.write("page.html", '<img src="/dot.svg" alt="a dot">')
    found = visitor(served.rstrip("/") + checks.SUB_PATH).visit("page.html")
    assert found.foreign == [f"page.html: asked {served}dot.svg"]


def test_axe_finds_a_fault(small: Folder, one: checks.Visitor, axe: Path) -> None:
    found = visit(small, one, '<p style="color: #ccc; background: #fff">Pale</p>')
    violations = checks.axe_violations(found.page, "p")
    assert [v for v in violations if "color-contrast" in v], violations
    colours = checks.axe_violations(found.page, "p", only=checks.COLOURS)
    assert colours == violations


def test_a_page_that_stays_light_is_caught(small: Folder, one: checks.Visitor) -> None:
    page = visit(small, one).page
    checks.switch_scheme(page, "dark")  # it has no theme to switch
    assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    with pytest.raises(TooLate, match=r"Timeout 200ms"):
        checks.switch_scheme(page, "dark", 0.2)
    checks.switch_scheme(page, "light")


def test_a_wide_element_is_caught(small: Folder, one: checks.Visitor) -> None:
    found = visit(small, one, '<div class="wide" style="width: 600px">Wide</div>')
    (said,) = checks.too_wide(found.page, "p")
    assert "600 px wide on a screen of 390: div.wide" in said


STUCK = "background: linear-gradient(to left, #888, transparent) right / 1rem no-repeat"


@pytest.mark.parametrize("folded", [False, True], ids=["open", "folded"])
@pytest.mark.parametrize(
    ("style", "width", "says"),
    [
        (SIGN, 600, []),
        ("", 300, []),
        ("", 600, ["beginning, no sign of more at its right", "no sign of more"]),
        (STUCK, 600, ["end, no sign of more at its left", "a sign of more"]),
    ],
)
def test_a_table_without_a_sign_is_caught(
    small: Folder,
    one: checks.Visitor,
    style: str,
    width: int,
    says: list[str],
    folded: bool,
) -> None:
    table = f'<table style="width: {width}px"><tr><td>1<td>2</table>'
    box = f'<div tabindex="0" style="overflow-x: auto; {style}">{table}</div>'
    if folded:
        box = f"<details><summary>More</summary>{box}</details>"
    found = checks.boxes_without_a_sign(visit(small, one, box).page, "p")
    assert len(found) == len(says), found
    for line, words in zip(found, says, strict=True):
        assert words in line


def test_code_without_a_sign_is_caught(small: Folder, one: checks.Visitor) -> None:
    code = f'<pre style="background: none">{"long " * 99}</pre>'
    found = checks.boxes_without_a_sign(visit(small, one, code).page, "p")
    assert any("no sign of more at its right" in line for line in found)


def test_an_output_that_is_cut_is_caught(small: Folder, one: checks.Visitor) -> None:
    (said,) = checks.cut_outputs(visit(small, one).page, "p")
    assert "cut at the right: 'output x" in said


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ('<img src="dot.svg">', "no alt"),
        ('<img src="dot.svg" alt="">', "empty alt"),
        ('<img src="dot.svg" alt="_images/dot.svg">', "name of a file"),
        ("<svg><path/></svg>", "svg without role"),
        ('<svg aria-label="x"><path/></svg>', "svg without role"),
        ('<svg role="img" aria-labelledby="none"><path/></svg>', "svg without role"),
        ("<canvas></canvas>", "no text alternative"),
    ],
)
def test_a_missing_alternative_is_caught(
    small: Folder, one: checks.Visitor, extra: str, says: str
) -> None:
    (said,) = checks.without_alternative(visit(small, one, extra).page, "p")
    assert says in said


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ("<script>document.write('<p>7</p>')</script>", "text differs"),
        (
            '<div class="cell_output"><pre style="display: none">7</pre></div>',
            "output not visible",
        ),
        ('<p style="display: none">Hidden</p>', "not visible without scripts: p"),
    ],
)
def test_what_scripts_are_needed_for_is_caught(
    small: Folder,
    one: checks.Visitor,
    served: str,
    visitor: Make,
    extra: str,
    says: str,
) -> None:
    words = checks.article_text(visit(small, one, extra).page)
    plain = visitor(served, java_script_enabled=False).visit("page.html")
    found = checks.lost_without_scripts(plain.page, "p", words)
    assert any(says in text for text in found), found


def test_a_page_without_skip_link_is_caught(small: Folder, one: checks.Visitor) -> None:
    page = visit(small, one, skip=False).page
    assert "no skip link" in checks.keyboard_faults(page, "p")[0]


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        (
            "<style>:focus-visible { outline: none }</style>",
            "focus cannot be seen on a",
        ),
        (
            "<style>details, summary { display: block; height: 0 }</style>",
            "focus cannot be seen on summary",
        ),
        ("<style>.skip:focus { left: -999px }</style>", "not shown"),
        (
            "<script>document.querySelector('summary')"
            ".addEventListener('click', e => e.preventDefault())</script>",
            "Enter does not open the summary 'Answer'",
        ),
        (
            "<script>document.querySelector('details').inert = true</script>",
            "a summary cannot have the focus",
        ),
    ],
)
def test_a_fault_of_the_keyboard_is_caught(
    small: Folder, one: checks.Visitor, extra: str, says: str
) -> None:
    found = checks.keyboard_faults(visit(small, one, extra).page, "p")
    assert any(says in text for text in found), found


@pytest.mark.parametrize(
    ("style", "caught"),
    [("left: 2000px", True), ("left: 2000px; visibility: hidden", False)],
)
def test_a_link_beside_the_window_is_caught(
    small: Folder, one: checks.Visitor, style: str, caught: bool
) -> None:
    drawer = f'<div style="position: fixed; {style}"><a href="#">Drawer</a></div>'
    found = checks.out_of_sight(visit(small, one, drawer).page, "p")
    assert found == ["p: 'Drawer' can have the focus beside the window"] * caught


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ('<a href="gone.html">x</a>', "leads nowhere"),
        ('<a href="other.html#gone">x</a>', "anchor that is not there"),
        ('<a href="#gone">x</a>', "anchor that is not there"),
        ('<a href="/other.html">x</a>', "breaks below a sub-path"),
        ('<img src="gone.png" alt="x">', "leads nowhere"),
        ('<script src="https://elsewhere.invalid/x.js"></script>', "from elsewhere"),
        ('<img srcset="dot.svg 1x, gone.svg 2x" alt="x">', "leads nowhere"),
    ],
)
def test_a_broken_link_is_caught(tmp_path: Path, extra: str, says: str) -> None:
    small = Folder(tmp_path)
    small.write("page.html", extra)
    (said,) = checks.broken_links(tmp_path)
    assert said.startswith("page.html: ")
    assert says in said


def test_a_link_to_the_outside_is_no_fault(tmp_path: Path) -> None:
    small = Folder(tmp_path)
    small.write("page.html", '<a href="https://example.org/">x</a>')
    assert checks.broken_links(tmp_path) == []


@pytest.mark.full
@pytest.mark.parametrize(("value", "outcome"), [("", "1 skipped"), ("1", "1 error")])
def test_without_a_browser_it_skips_or_fails(
    tmp_path: Path, value: str, outcome: str
) -> None:
    """No Chromium: a visible skip with its reason, or a failure where required."""
    done = subprocess.run(
        [
            sys.executable,
            *("-m", "pytest", "-p", "no:cacheprovider", "-q", "-rs"),
            "tests/site/test_checks.py::test_a_wide_element_is_caught",
        ],
        cwd=checks.ROOT,
        env={"CHROMIUM": str(tmp_path / "none"), "ON_TIME_REQUIRE_BROWSER": value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome in done.stdout, done.stdout
    assert "no Chromium was found" in done.stdout
