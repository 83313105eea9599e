"""What ``looplab show`` makes, in a browser that has no network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from looplab.diagnose.page import page
from ontime.recordings import service_recording
from tests.site import checks

Make = Callable[..., checks.Visitor]
SHOWN = "table[data-slider] tbody tr:not([hidden])"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("show") / "page.html"
    file.write_text(page(service_recording()), encoding="utf-8")
    return file


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_needs_nothing_and_axe_finds_nothing(
    scheme: str, made: Path, visitor: Make, axe: Path
) -> None:
    origin = made.as_uri()
    one = visitor(origin, color_scheme=scheme, offline=True)
    visit = one.visit(origin)
    assert visit.requests == [origin]
    assert checks.axe_violations(visit.page, scheme) == []
    assert checks.too_wide(visit.page, scheme) == []
    assert visit.errors == []


def test_a_slider_shows_one_change_at_a_time(made: Path, visitor: Make) -> None:
    origin = made.as_uri()
    shown = visitor(origin, offline=True).visit(origin).page
    tables = shown.locator("table[data-slider]").count()
    sliders = shown.get_by_role("slider")
    assert sliders.count() == tables > 0
    assert shown.locator(SHOWN).count() == tables
    before = shown.locator(SHOWN).all_text_contents()
    sliders.first.focus()
    shown.keyboard.press("ArrowRight")
    after = shown.locator(SHOWN).all_text_contents()
    assert after[0] != before[0]
    assert after[1:] == before[1:]
    said = sliders.first.get_attribute("aria-valuetext")
    assert said and after[0].startswith(said)


def test_without_scripts_all_changes_are_there(made: Path, visitor: Make) -> None:
    origin = made.as_uri()
    shown = visitor(origin, offline=True, java_script_enabled=False).visit(origin).page
    rows = shown.locator("table[data-slider] tbody tr")
    assert rows.count() > shown.locator("table[data-slider]").count()
    assert all(row.is_visible() for row in rows.all())
