"""The colours and the letters of every chart, on a light and on a dark ground.

They differ for colour-blind readers too, and text in them has a contrast of at least
4.5 to 1.  What a colour stands for is said by whoever draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = [
    "COLOURS",
    "COLOURS_DARK",
    "GROUND",
    "GROUND_DARK",
    "LETTERS",
    "LOUD",
    "PLAIN",
    "QUIET",
    "check_colour",
    "halo",
    "themed",
]

#: The colours on a light ground.
COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "orange": "#b8430b",
        "blue": "#0b62a4",
        "green": "#08704f",
        "grey": "#66707b",
    }
)

#: The same on a dark ground.
COLOURS_DARK: Mapping[str, str] = MappingProxyType(
    {
        "orange": "#ff9d63",
        "blue": "#6db7f2",
        "green": "#4fcfa4",
        "grey": "#98a2ae",
    }
)

#: The colours of the ground, of text and of lines, and the same where it is dark.
GROUND: Mapping[str, str] = MappingProxyType(
    {"paper": "#ffffff", "ink": "#1f2429", "muted": "#59636e", "rule": "#d9dee4"}
)
GROUND_DARK: Mapping[str, str] = MappingProxyType(
    {"paper": "#14181e", "ink": "#e8edf2", "muted": "#a3adb8", "rule": "#343c46"}
)

#: The sizes of letters in pixels: of axes and side facts, of names, and of what must be
#: seen first.
LETTERS: Mapping[str, int] = MappingProxyType({"small": 12, "text": 13, "loud": 14})

#: The colour of what nobody chose a colour for, of what must be seen first, and of
#: what is beside the point.
PLAIN, LOUD, QUIET = "blue", "orange", "grey"


def check_colour(name: str, what: str = "") -> str:
    """The value of *name*, the colour of *what*, on a light ground.

    Raises:
        ValueError: It is none of ours.
    """
    if name not in COLOURS:
        raise ValueError(
            f"the colour{f' of {what!r}' if what else ''} is {name!r}: it must be one "
            f"of {', '.join(COLOURS)}"
        )
    return COLOURS[name]


def halo(name: str, ground: str) -> str:
    """Return CSS that keeps lines off the words of the pictures of class *name*.

    Each letter has the ground around it.  That is the ground of the page, where it has
    a name that we know.

    Args:
        name: the class.
        ground: the colour where it has none.
    """
    return (
        f".{name} text{{paint-order:stroke;stroke-width:3px;stroke-linejoin:round;"
        f"stroke:var(--pst-color-background,var(--jp-layout-color0,{ground}))}}"
    )


def themed(
    name: str, rules: str, *, ground: bool = False, letters: bool = False
) -> str:
    """Return CSS for a class whose colours, as variables, follow the theme of the page.

    Args:
        name: the class.
        rules: what else the class has.
        ground: the colours of ground, text and lines as well.
        letters: the sizes of letters as well, and the font of the page.
    """

    def variables(colours: Mapping[str, str], more: Mapping[str, str]) -> str:
        shown = {**colours, **more} if ground else colours
        return ";".join(f"--{key}:{value}" for key, value in shown.items())

    light, dark = variables(COLOURS, GROUND), variables(COLOURS_DARK, GROUND_DARK)
    if letters:
        sizes = ";".join(f"--{key}:{size}px" for key, size in LETTERS.items())
        font = "font:var(--text)/1.3 var(--pst-font-family-base,system-ui,sans-serif)"
        rules = f"{sizes};{font};{rules}"
    return (
        f".{name}{{{light};{rules}}}"
        f'html[data-theme="dark"] .{name}{{{dark}}}'
        f"@media (prefers-color-scheme:dark){{html:not([data-theme]) .{name}"
        f"{{{dark}}}}}"
    )
