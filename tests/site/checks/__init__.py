"""Checks of a built page, as functions that return what is wrong.

``test_site.py`` applies them to the book, ``test_checks.py`` to pages made wrong on
purpose. A check returns a list of messages, empty when all is well.
"""

from __future__ import annotations

from tests.site.checks.accessibility import (
    COLOURS,
    WIDTHS,
    axe_violations,
    moving,
    switch_scheme,
    without_alternative,
)
from tests.site.checks.keyboard import keyboard_faults, out_of_sight
from tests.site.checks.layout import (
    boxes_without_a_sign,
    cut_outputs,
    cut_words,
    too_wide,
)
from tests.site.checks.links import broken_links
from tests.site.checks.scripts_off import article_text, lost_without_scripts
from tests.site.checks.serving import is_redirect, pages, read_page, serve
from tests.site.checks.settings import AXE, NARROW, ROOT, SCHEMES, SUB_PATH, ZOOMED
from tests.site.checks.visits import Visit, Visitor
from tools.serving import Server, answering

__all__ = [
    "AXE",
    "COLOURS",
    "NARROW",
    "ROOT",
    "SCHEMES",
    "SUB_PATH",
    "WIDTHS",
    "ZOOMED",
    "Server",
    "Visit",
    "Visitor",
    "answering",
    "article_text",
    "axe_violations",
    "boxes_without_a_sign",
    "broken_links",
    "cut_outputs",
    "cut_words",
    "is_redirect",
    "keyboard_faults",
    "lost_without_scripts",
    "moving",
    "out_of_sight",
    "pages",
    "read_page",
    "serve",
    "switch_scheme",
    "too_wide",
    "without_alternative",
]
