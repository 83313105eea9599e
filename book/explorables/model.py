"""The model of a figure: what its live cell defines, so that both say the same."""

from __future__ import annotations

import ast
from typing import Any

__all__ = ["model"]


def model(live: str, value: object, **instead: object) -> dict[str, Any]:
    """The names of a live cell, once it has run without showing anything.

    Args:
        live: the cell; its first line sets what the slider sets.
        value: the value of the slider.
        instead: other definitions of its names, which its functions then see.
    """
    tree = ast.parse(f"{live.lstrip().partition(' = ')[0]} = {value!r}\n" + live)
    tree.body.pop(1)  # the value that the reader may change
    tree.body = [part for part in tree.body if not isinstance(part, ast.Expr)]
    names: dict[str, Any] = {}
    exec(compile(tree, "<live cell>", "exec"), names)
    names.update(instead)
    return names
