"""The names of one cell: what it binds, reads, and may change."""

from __future__ import annotations

import ast
import functools
import symtable
from typing import Any

from ._guard import own_builtins

__all__ = ["Names", "Step", "names_of"]

__builtins__ = own_builtins  # type: ignore[assignment]


class Step:
    """One statement at the top level of a cell.

    Attributes:
        binds: names that it gives an object that may change, or changes the object of.
        mentions: names that it reads outside of function bodies.
    """

    def __init__(self, binds: set[str], mentions: set[str]) -> None:
        self.binds = binds
        self.mentions = mentions


class Names(ast.NodeVisitor):
    """The names of a cell: what it binds, reads, and may change.

    Attributes:
        binds: names that it binds, or whose object it changes by assignment.
        kills: names that it binds before it can have read them.
        imports: those of them that an import binds: to an object that is there already
            if a cell above has imported it, too.
        reads: global names that it reads, in functions too.
        commands: names of which an attribute is called for its effect alone, as in
            ``random.seed(1)``.
        defines: function or class -> the global names that its body reads or sets.
        steps: its statements.
        is_opaque: nothing can be said, so the cell counts as needed.
    """

    def __init__(self, source: str) -> None:
        self.binds: set[str] = set()
        self.kills: set[str] = set()
        self.imports: set[str] = set()
        self.reads: set[str] = set()
        self.commands: set[str] = set()
        self.defines: dict[str, set[str]] = {}
        self.steps: list[Step] = []
        self.is_opaque = False
        try:
            self._analyse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError, ImportError):
            self.is_opaque = True
            self.kills.clear()

    def _analyse(self, source: str) -> None:
        # A cell may wait outside of functions, but from Python 3.14 on the table of
        # names refuses it.
        change = _NoWaiting()
        tree = change.visit(ast.parse(source))
        plain = ast.unparse(tree) if change.has_waited else source
        table = symtable.symtable(plain, "cell", "exec")
        self.reads = _read_globally(table)
        for scope in table.get_children():
            inside = _read_globally(scope) | _set_globally(scope)
            name = scope.get_name()
            self.defines[name] = self.defines.get(name, set()) | inside
        if self.reads & {"exec", "eval", "globals", "vars", "locals", "setattr"}:
            self.is_opaque = True
        seen: set[str] = set()
        hidden = _set_globally(table)
        for statement in tree.body:
            self._pure: set[str] = set()
            self._impure: set[str] = set()
            self._mentions: set[str] = set()
            self.visit(statement)
            bound = self._pure | self._impure
            self.binds |= bound
            self.steps.append(Step(self._impure, self._mentions))
            inside = _names_in(statement)
            if _is_plain(statement):
                self.kills |= bound - seen - self._mentions
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                self.imports |= bound
            seen |= inside | bound
        self.binds |= hidden
        if hidden:
            self.steps.append(Step(hidden, set()))

    def _define(self, node: Any) -> None:
        (self._impure if _holds_state(node) else self._pure).add(node.name)
        # Decorators, defaults and bases are evaluated here and now.
        for part in node.decorator_list:
            self.visit(part)
        if isinstance(node, ast.ClassDef):
            for part in (*node.bases, *node.keywords, *node.body):
                kept = set(self._pure), set(self._impure)
                self.visit(part)
                if part in node.body:  # what a class body binds is its own
                    self._pure, self._impure = kept
        else:
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if default is not None:
                    self.visit(default)

    visit_FunctionDef = _define  # noqa: N815
    visit_AsyncFunctionDef = _define  # noqa: N815
    visit_ClassDef = _define  # noqa: N815

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._pure.add(alias.asname or alias.name.partition(".")[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.is_opaque = True
            self._pure.add(alias.asname or alias.name)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._mentions.add(node.id)
        else:
            self._impure.add(node.id)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):  # read too, which no table of names says
            self._mentions.add(node.target.id)
            self.reads.add(node.target.id)
        self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> None:
        self._mentions |= _names_in(node)
        self.reads |= _names_in(node)
        self.generic_visit(node)

    def _changed(self, node: Any) -> None:
        if not isinstance(node.ctx, ast.Load):
            root = node
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            if isinstance(root, ast.Name):
                self._impure.add(root.id)
        self.generic_visit(node)

    visit_Attribute = _changed  # noqa: N815
    visit_Subscript = _changed  # noqa: N815

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value
        if isinstance(call, ast.Call):
            root: ast.expr = call
            while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
                root = root.func if isinstance(root, ast.Call) else root.value
            if isinstance(root, ast.Name) and root is not call.func:
                self.commands.add(root.id)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._impure.add(node.name)
        self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        # match patterns hold names as plain text
        name = getattr(node, "rest", None) or getattr(node, "name", None)
        if isinstance(node, (ast.MatchAs, ast.MatchStar, ast.MatchMapping)) and name:
            self._impure.add(name)
        super().generic_visit(node)


class _NoWaiting(ast.NodeTransformer):
    """Takes ``await`` and ``async`` from what is in no function; the names stay."""

    has_waited = False

    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _leave  # noqa: N815

    def visit_Await(self, node: ast.Await) -> ast.AST:
        self.has_waited = True
        return self.visit(node.value)  # type: ignore[no-any-return]

    def _plain(self, node: ast.AST) -> ast.AST:
        self.has_waited = True
        kind = ast.For if isinstance(node, ast.AsyncFor) else ast.With
        same: ast.AST = kind(**dict(ast.iter_fields(node)))
        return self.generic_visit(ast.copy_location(same, node))

    visit_AsyncFor = visit_AsyncWith = _plain  # noqa: N815

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.has_waited = self.has_waited or bool(node.is_async)
        node.is_async = 0
        return self.generic_visit(node)


def _names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _holds_state(node: Any) -> bool:
    """Whether a class has an attribute, or a function a default, that could change."""
    if isinstance(node, ast.ClassDef):
        assigned = [p for p in node.body if isinstance(p, (ast.Assign, ast.AnnAssign))]
        values = [part.value for part in assigned]
    else:
        values = [*node.args.defaults, *node.args.kw_defaults]
    fixed = (ast.Constant, ast.Tuple, type(None))
    return any(not isinstance(value, fixed) for value in values)


def _is_plain(statement: ast.stmt) -> bool:
    """Whether a statement binds what it binds in any case, and wholly anew."""
    if isinstance(statement, ast.Assign):
        targets = [
            part
            for target in statement.targets
            for part in (target.elts if isinstance(target, ast.Tuple) else [target])
        ]
        return all(isinstance(target, ast.Name) for target in targets)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return isinstance(statement, (*kinds, ast.Import, ast.ImportFrom))


def _read_globally(table: symtable.SymbolTable) -> set[str]:
    """The global names that a scope, or one inside it, reads."""
    at_top = table.get_type() == "module"
    out = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (at_top or symbol.is_global())
    }
    for inner in table.get_children():
        out |= _read_globally(inner)
    return out


def _set_globally(table: symtable.SymbolTable) -> set[str]:
    """The global names that a function sets by a ``global`` statement."""
    out = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_declared_global() and symbol.is_assigned()
    }
    for inner in table.get_children():
        out |= _set_globally(inner)
    return out


@functools.lru_cache(maxsize=1000)
def names_of(source: str) -> Names:
    return Names(source)
