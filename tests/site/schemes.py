"""All pages visited in one colour scheme, and what is asked of them.

Each scheme has a module of its own, so that the two run beside each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.site import checks

Make = Callable[..., checks.Visitor]


@dataclass
class Findings:
    """What the visits of all pages brought, by check."""

    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    axe: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    wide: list[str] = field(default_factory=list)
    signs: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    scheme: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)


def visit_all(
    scheme: str,
    pages: list[str],
    origin: str,
    visitor: Make,
    axe: Path,
) -> Findings:
    """All pages visited in one colour scheme."""
    found = Findings()
    one = visitor(origin + "/", color_scheme=scheme)
    for name in pages:
        visit = one.visit(name)
        shown = visit.page.evaluate("document.documentElement.dataset.theme")
        if shown not in {scheme, None}:
            found.scheme.append(f"{name}: is {shown}")
        found.alternatives += checks.without_alternative(visit.page, name)
        found.axe += checks.axe_violations(visit.page, name)
        found.cut += checks.cut_outputs(visit.page, name)
        found.wide += checks.too_wide(visit.page, name, checks.ZOOMED)
        found.errors += visit.errors
        found.foreign += visit.foreign
        # Loaded anew on the narrow screen, where tables fold and code must scroll:
        # what the theme's scripts do for it they do on load.
        visit = one.visit(name, width=checks.NARROW)
        found.wide += checks.too_wide(visit.page, name)
        found.hidden += checks.out_of_sight(visit.page, name)
        found.axe += checks.axe_violations(visit.page, f"{name} (narrow)")
        found.signs += checks.boxes_without_a_sign(visit.page, name)
        found.errors += visit.errors
    return found


def report(found: list[str]) -> str:
    return "\n" + "\n".join(found)


class InScheme:
    """The tests of a scheme; a subclass names it."""

    scheme: str

    @pytest.fixture(scope="class")
    def findings(
        self,
        request: pytest.FixtureRequest,
        pages: list[str],
        origin: str,
        visitor: Make,
        axe: Path,
    ) -> Findings:
        return visit_all(request.cls.scheme, pages, origin, visitor, axe)

    def test_no_script_error(self, findings: Findings) -> None:
        assert not findings.errors, report(findings.errors)

    def test_no_third_party_request(self, findings: Findings) -> None:
        assert not findings.foreign, report(findings.foreign)

    def test_the_colour_scheme_is_followed(self, findings: Findings) -> None:
        assert not findings.scheme, report(findings.scheme)

    def test_axe(self, findings: Findings) -> None:
        assert not findings.axe, report(findings.axe)

    def test_no_sideways_scroll_on_a_narrow_screen(self, findings: Findings) -> None:
        assert not findings.wide, report(findings.wide)

    def test_nothing_takes_the_focus_out_of_sight(self, findings: Findings) -> None:
        assert not findings.hidden, report(findings.hidden)

    def test_no_output_is_cut_on_a_wide_screen(self, findings: Findings) -> None:
        assert not findings.cut, report(findings.cut)

    def test_what_scrolls_shows_it(self, findings: Findings) -> None:
        assert not findings.signs, report(findings.signs)

    def test_every_picture_has_a_text_alternative(self, findings: Findings) -> None:
        assert not findings.alternatives, report(findings.alternatives)
