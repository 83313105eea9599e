"""Make the reference of the packages and the bibliography readable.

* A signature shows what a reader would write: a class by its name, and ``...`` for a
  default that is made anew for each object.
* An attribute of a class has its type behind its name, not in a list of its own.
* An entry of the bibliography may say its short name, such as ``shorthand = {PSF}``.
"""

from __future__ import annotations

import re
from typing import Any

from pybtex.database import Entry
from pybtex.plugin import register_plugin
from pybtex.style.formatting.alpha import Style as AlphaStyle
from pybtex.style.labels.alpha import LabelStyle as AlphaLabels
from sphinx.ext.autodoc import MethodDocumenter

__all__ = ["ShortLabels", "ShortStyle", "readable", "typed_attributes"]

# What inspect prints, and what is written for it. Where one of them is left, Sphinx
# cannot parse a signature, and prints all names of its types in full.
PRINTED = (
    (r"<factory>", "..."),
    (r"<class '(?:[\w.]+\.)?(\w+)'>", r"\1"),
    (r"\bEllipsis\b", "..."),
    (r"(\*\*\w+): ~typing\.~(\w+)", r"\1: \2.kwargs"),
    (r"(\*\w+): ~typing\.~(\w+)", r"\1: \2.args"),
    (r"\[\[~(\w+)\],", r"[\1,"),  # the parameters of a callable
)
ATTRIBUTE = re.compile(r"( *)\.\. attribute:: \w+$")
TYPE = re.compile(r" +:type: ")


def readable(signature: str) -> str:
    """A signature as a reader would write it."""
    for printed, written in PRINTED:
        signature = re.sub(printed, written, signature)
    return signature


def typed_attributes(lines: list[str]) -> list[str]:
    """Move the type of each attribute from below its text to the line of its name."""
    moved: list[str] = []
    name = -1
    for line in lines:
        if ATTRIBUTE.match(line):
            name = len(moved)
        elif name >= 0 and line and not line[0].isspace():
            name = -1
        if name >= 0 and TYPE.match(line):
            moved.insert(name + 1, line)
        else:
            moved.append(line)
    return moved


class ShortLabels(AlphaLabels):  # type: ignore[misc]  # pybtex has no types
    """Labels such as [Wel20], and the short name of whoever is no person."""

    def format_label(self, entry: Entry) -> str:
        if "shorthand" in entry.fields:
            return f"{entry.fields['shorthand']}{entry.fields['year'][-2:]}"
        label: str = super().format_label(entry)
        return label


class ShortStyle(AlphaStyle):  # type: ignore[misc]
    """The usual style of the bibliography, with these labels."""

    default_label_style = ShortLabels


def _signature(
    app: Any, what: str, name: str, obj: Any, options: Any, text: str, result: str
) -> tuple[str, str] | None:
    return (readable(text), result) if text else None


def _docstring(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    lines[:] = typed_attributes(lines)


class ReadableMethod(MethodDocumenter):
    """A method of which each overload is readable; autodoc asks nobody about these."""

    priority = MethodDocumenter.priority + 1

    def format_signature(self, **options: Any) -> str:
        """The signatures, a line each."""
        return readable(super().format_signature(**options))


def setup(app: Any) -> dict[str, Any]:
    """Tidy signatures and docstrings once autodoc and napoleon have read them."""
    app.add_autodocumenter(ReadableMethod, override=True)
    register_plugin("pybtex.style.formatting", "short", ShortStyle)
    app.connect("autodoc-process-signature", _signature)
    app.connect("autodoc-process-docstring", _docstring, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
