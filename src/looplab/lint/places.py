"""Where a node of a syntax tree is: its function, class, scope, the loops around it."""

from __future__ import annotations

import ast

from .scopes import Function, Scope
from .walk import Walk

__all__ = ["Places", "name_of"]

_REPEATS = (
    *(ast.For, ast.AsyncFor, ast.While),
    *(ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp),
)


class Places:
    """The parents of all nodes of a file.

    Args:
        tree: the file.
        walk: what was found in it.
    """

    def __init__(self, tree: ast.Module, walk: Walk) -> None:
        self._walk = walk
        self.parents: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = []
        stack: list[ast.AST] = [tree]
        while stack:
            node = stack.pop()
            self.nodes.append(node)
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
                stack.append(child)

    def function(self, node: ast.AST) -> Function | ast.Lambda | None:
        """The function around a place."""
        here = self.parents.get(node)
        while here is not None and not isinstance(
            here, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
        ):
            if isinstance(here, ast.ClassDef):
                return None
            here = self.parents.get(here)
        return here

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        """The class around a place."""
        here: ast.AST | None = node
        while here is not None and not isinstance(here, ast.ClassDef):
            here = self.parents.get(here)
        return here

    def scope(self, node: ast.AST) -> Scope:
        """The scope of a place; that of a comprehension counts as the one around it."""
        here = self.parents.get(node)
        while here is not None:
            if here in self._walk.scopes:
                return self._walk.scopes[here]
            here = self.parents.get(here)
        return self._walk.module

    def repeated(self, node: ast.AST) -> bool:
        """Whether a loop of its function is around a place."""
        here: ast.AST | None = node
        while here is not None and not isinstance(
            here, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
        ):
            if isinstance(here, _REPEATS):
                return True
            here = self.parents.get(here)
        return False


def name_of(node: ast.AST) -> str:
    """The last part of a dotted name; nothing for what has none."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return str(getattr(node, "attr", getattr(node, "id", "")))
