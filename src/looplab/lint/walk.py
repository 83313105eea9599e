"""One walk over the syntax tree of a file.

The walk notes what each scope binds a name to, and every call.  Only then is
it asked what a call calls, because a name can be bound further down in the file.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from .libraries import STAR, WRAPPERS
from .names import PARAMETER, UNKNOWN, Class, Default, Function, Scope

# What is still to be visited, and where.
_Item: TypeAlias = "tuple[ast.AST, Scope]"


class Walk:
    """Visits each node of a tree once, without recursion: no source is too deep."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope("module")
        self.calls: list[tuple[ast.Call, Scope]] = []
        self.awaited: set[ast.AST] = set()
        self.scopes: dict[ast.AST, Scope] = {}  # inside functions and classes
        self.imported: set[str] = set()  # the modules at the top
        self._declaring: list[Scope] = []
        stack: list[_Item] = [(tree, self.module)]
        self._stack = stack
        handlers: dict[type[ast.AST], Callable[..., None]] = {}
        while stack:
            item = stack.pop()
            kind = type(item[0])
            if kind not in handlers:
                name = f"_on_{kind.__name__.lower()}"
                handlers[kind] = getattr(self, name, self._children)
            handlers[kind](*item)
        for scope in self._declaring:
            self._move(scope)

    # Names that a function binds elsewhere

    def _move(self, scope: Scope) -> None:
        for name in scope.globals:
            for what in scope.bindings.pop(name, ()):
                self.module.bind(name, what)
        for name in scope.nonlocals:
            around = (other for other in scope.outer() if other is not scope)
            target = next((other for other in around if name in other.bindings), None)
            for what in scope.bindings.pop(name, ()):
                if target is not None:
                    target.bind(name, what)

    # Visiting

    def _children(self, node: ast.AST, scope: Scope) -> None:
        self._stack.extend((child, scope) for child in ast.iter_child_nodes(node))

    def _push(self, nodes: Sequence[ast.AST | None], *where: Any) -> None:
        self._stack.extend((node, *where) for node in nodes if node is not None)

    def _on_name(self, node: ast.Name, scope: Scope) -> None:
        if not isinstance(node.ctx, ast.Load):
            scope.bind(node.id, UNKNOWN)

    def _on_call(self, node: ast.Call, scope: Scope) -> None:
        self.calls.append((node, scope))
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in WRAPPERS and node.args:
            self.awaited.update(node.args if name == "gather" else node.args[:1])
        self._push((node.func, *node.args), scope)
        self._push([keyword.value for keyword in node.keywords], scope)

    def _on_await(self, node: ast.Await, scope: Scope) -> None:
        self.awaited.add(node.value)
        self._push((node.value,), scope)

    def _on_assign(self, node: ast.Assign, scope: Scope) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                scope.bind(target.id, node.value)
            else:
                self._push((target,), scope)
        self._push((node.value,), scope)

    def _on_annassign(self, node: ast.AnnAssign, scope: Scope) -> None:
        if not isinstance(node.target, ast.Name):
            self._push((node.target,), scope)
        elif node.value is not None:
            scope.bind(node.target.id, node.value)
        self._push((node.annotation, node.value), scope)

    def _on_namedexpr(self, node: ast.NamedExpr, scope: Scope) -> None:
        where = scope
        while where.kind == "comprehension" and where.parent is not None:
            where = where.parent
        where.bind(node.target.id, node.value)
        self._push((node.value,), scope)

    def _on_import(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.imported.add(top)
            scope.bind(alias.asname or top, alias.name if alias.asname else top)

    def _on_importfrom(self, node: ast.ImportFrom, scope: Scope) -> None:
        known = not node.level and node.module is not None
        module = str(node.module)
        if known:
            self.imported.add(module.partition(".")[0])
        for alias in node.names:
            if alias.name == "*":
                names = STAR.get(module, ()) if known else ()
                for name in names or STAR["asyncio"]:
                    # Another module may bind the same names to something else.
                    what = f"{module}.{name}" if names else UNKNOWN
                    scope.bind(f"*{name}", what)
            else:
                what = f"{module}.{alias.name}" if known else UNKNOWN
                scope.bind(alias.asname or alias.name, what)

    def _on_global(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        kind = "globals" if isinstance(node, ast.Global) else "nonlocals"
        getattr(scope, kind).update(node.names)
        self._declaring.append(scope)

    def _on_matchas(self, node: ast.AST, scope: Scope) -> None:
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name:
            scope.bind(name, UNKNOWN)
        self._children(node, scope)

    def _arguments(self, scope: Scope, inner: Scope, arguments: ast.arguments) -> None:
        self._push((*arguments.defaults, *arguments.kw_defaults), scope)
        positional = [*arguments.posonlyargs, *arguments.args]
        rest = [arg for arg in (arguments.vararg, arguments.kwarg) if arg]
        defaults: dict[ast.arg, ast.expr | None] = {}
        defaults |= zip(positional[::-1], arguments.defaults[::-1], strict=False)
        defaults |= zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        for arg in (*positional, *arguments.kwonlyargs, *rest):
            default = defaults.get(arg)
            inner.bind(arg.arg, Default(default, scope) if default else PARAMETER)
            self._push((arg.annotation,), scope)

    def _on_functiondef(self, node: Function, scope: Scope) -> None:
        scope.bind(node.name, node)
        self._push(node.decorator_list, scope)
        inner = self.scopes[node] = Scope("function", scope, node=node)
        self._arguments(scope, inner, node.args)
        self._push((node.returns, *getattr(node, "type_params", ())), scope)
        self._push(node.body, inner)

    def _on_lambda(self, node: ast.Lambda, scope: Scope) -> None:
        inner = self.scopes[node] = Scope("function", scope, node=node)
        self._arguments(scope, inner, node.args)
        self._push((node.body,), inner)

    def _on_classdef(self, node: ast.ClassDef, scope: Scope) -> None:
        cls = Class(node, scope)
        scope.bind(node.name, cls)
        self._push((*node.decorator_list, *node.bases, *node.keywords), scope)
        self._push(getattr(node, "type_params", ()), scope)
        inner = self.scopes[node] = Scope("class", scope, cls)
        self._push(node.body, inner)

    def _on_listcomp(
        self,
        node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
        scope: Scope,
    ) -> None:
        inner = Scope("comprehension", scope)
        first, *others = node.generators
        self._push((first.iter,), scope)
        made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._push(made, inner)
        self._push((first.target, *first.ifs, *others), inner)

    _on_nonlocal = _on_global
    _on_asyncfunctiondef = _on_functiondef
    _on_matchstar = _on_matchmapping = _on_excepthandler = _on_matchas
    _on_setcomp = _on_dictcomp = _on_generatorexp = _on_listcomp
