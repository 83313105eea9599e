"""The fonts of the site: all there, small, and each with its licence."""

from __future__ import annotations

import re

from tools.fonts import FONTS, MOST, OUT


def test_the_style_names_what_is_there() -> None:
    style = (OUT.parent / "on-time.css").read_text(encoding="utf-8")
    named = re.findall(r'url\("fonts/([\w-]+)\.woff2"\)', style)
    assert sorted(named) == sorted(FONTS)
    assert "//" not in "".join(re.findall(r"url\(([^)]*)\)", style)), "no other host"
    assert sum((OUT / f"{name}.woff2").stat().st_size for name in FONTS) <= MOST
    for package, _, _ in FONTS.values():
        licence = (OUT / f"{package}.LICENSE.txt").read_text(encoding="utf-8")
        assert "SIL" in licence
