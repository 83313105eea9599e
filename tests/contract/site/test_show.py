"""What ``looplab show`` makes, in a browser that has no network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from looplab.diagnose.page import page
from ontime.recordings import service_recording
from tests.site import checks, visits
from tools.show_player import FRAGMENT, fragment

Make = Callable[..., visits.Visitor]


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
    reader = visitor(origin, color_scheme=scheme, offline=True)
    visit = reader.visit(origin)
    assert visit.requests == [origin]
    assert checks.axe_violations(visit.page, scheme) == []
    assert checks.too_wide(visit.page, scheme) == []
    assert visit.errors == []
    assert visit.page.locator(".lp-moving button").count() == 4


def test_its_player_is_the_one_of_the_book() -> None:
    assert FRAGMENT.read_text(encoding="utf-8") == fragment(), (
        "python -m tools.show_player"
    )
