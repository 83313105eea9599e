"""The options of the extension, with their defaults and what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["OPTIONS", "Option"]


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes:
        name: as in the configuration.
        default: its value when it is not set.
        text: what it means, as Markdown.
        types: what its value may be.
        rebuild: what Sphinx has to make anew when it changes: "env" all pages as read,
            "html" all pages as written, "" nothing.
    """

    name: str
    default: Any
    text: str
    types: tuple[type, ...]
    rebuild: str = "env"


#: All options.  Paths are relative to the book's source folder.
OPTIONS = (
    Option(
        "livecells_enabled",
        True,
        "`False` gives a plain book: built outputs, no scripts, and no need of Node. "
        "The variable `LIVECELLS_ENABLED=0` in the environment of a build does the "
        "same.",
        (bool,),
    ),
    Option(
        "livecells_tag", "live", "The tag of the cells that run in the page.", (str,)
    ),
    Option(
        "livecells_wheels",
        [],
        "Python packages for the cells, pure Python only: paths of wheels, or of "
        "projects (`.` is the book's own folder), of which the build makes wheels with "
        "what is installed. The packages must be installed where the book is built, "
        "too.",
        (list, tuple),
    ),
    Option(
        "livecells_pyodide",
        "node_modules/pyodide",
        "The folder of the npm package `pyodide`.",
        (str,),
    ),
    Option(
        "livecells_without",
        [],
        "What the page does without, to be smaller: paths in Python's standard library "
        "such as `xml/*`, where `*`, `?` and `[…]` stand for other characters. Modules "
        "that need processes, sockets or Windows are left out in any case.",
        (list, tuple),
    ),
    Option(
        "livecells_reasons",
        {},
        "Why a cell does not run in the page: a sentence for each tag. It stands at "
        "the foot of the code of cells with that tag.",
        (dict,),
    ),
    Option(
        "livecells_node_modules",
        "node_modules",
        "The folder of the npm packages that are bundled, and of `esbuild`.",
        (str,),
    ),
    Option(
        "livecells_output_limit",
        100_000,
        "How many characters of output a cell may show; the rest is dropped.",
        (int,),
    ),
    Option(
        "livecells_timeout",
        60,
        "How many seconds the `{livecell}` cells of one page, or the function of one "
        "`{explorable}`, may run during the build.",
        (int, float),
    ),
    Option(
        "livecells_explorables",
        "explorables",
        "The folder of the modules that `{explorable}` names.",
        (str,),
    ),
    Option(
        "livecells_cache",
        "",
        "The folder for what one build keeps for the next. When empty, it is "
        "`.livecells` beside the folder of the built pages.",
        (str,),
    ),
)
