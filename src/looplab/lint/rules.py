"""The rules: one walk over the syntax tree of a file, then its names are resolved.

The walk notes three things: what each scope binds a name to, every call, and the
``while`` loops around it.  Only then is it asked what a call calls, because a name can
be bound further down in the file.  A name that is bound in two ways is not guessed at:
the rules say nothing about it.

The module uses the standard library only.
"""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from .rounds import Rounds

__all__ = ["RULES", "Finding", "Rule", "check_tree"]

#: How much a finding matters.  It has no part in the exit status of the command.
Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule (chapter 5).

    Args:
        code: what a finding is called, for example ``LAG101``.
        name: the rule in a few words.
        severity: how much a finding matters.
        default: whether the rule is on unless it is asked for.
    """

    code: str
    name: str
    severity: Severity
    default: bool = True


#: All rules, by code.
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        rule.code: rule
        for rule in (
            Rule("LAG101", "channel without a bound", "error"),
            Rule("LAG201", "polling with sleep(0)", "warning"),
            Rule("LAG202", "sleep(0) outside a polling loop", "note", default=False),
        )
    }
)


@dataclass(frozen=True, order=True, slots=True)
class Finding:
    """One place in a source that a rule objects to (chapter 5).

    Findings sort by line, then column.
    """

    #: From 1.
    line: int
    #: From 1, in characters.
    column: int
    #: The rule's code.
    code: str
    #: What is wrong and what to do.
    message: str

    @property
    def severity(self) -> Severity:
        """That of the rule."""
        return RULES[self.code].severity

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.code} {self.message}"


_WHY = "so put() never waits and a slow consumer falls behind until memory is gone"
_BOUND = "and put() waits until the consumer has taken the item before"
_POLLING = (
    "sleep(0) in a while loop is polling: the loop spins, keeps a core busy and makes "
    "every other callback wait; await what you are waiting for, for example "
    "queue.get(), event.wait() or a future"
)
_STRAIGHT = (
    "sleep(0) waits for nothing but one iteration of the event loop: await what must "
    "have happened, or, in a long computation, say so with '# noqa: LAG202'"
)

_CHANNELS = frozenset(
    f"{module}.{name}"
    for module in ("asyncio", "asyncio.queues")
    for name in ("Queue", "LifoQueue", "PriorityQueue")
)
_SLEEPS = frozenset(("asyncio.sleep", "asyncio.tasks.sleep"))
_STAR = {  # what `from module import *` binds that matters here
    "asyncio": ("Queue", "LifoQueue", "PriorityQueue", "sleep"),
    "asyncio.queues": ("Queue", "LifoQueue", "PriorityQueue"),
    "asyncio.tasks": ("sleep",),
}
# Functions whose first argument is called without arguments later.
_MAKERS = frozenset(
    ("collections.defaultdict", "typing.DefaultDict", "attr.Factory", "attrs.Factory")
)
# Functions whose keyword argument `factory` is.
_FIELDS = frozenset(("attr.ib", "attr.attrib", "attr.field", "attrs.field"))
_DEPTH = 50  # of names that stand for names, and of classes that derive from classes


class _Class:
    """A class of the file, which may derive from a channel."""

    __slots__ = ("analysed", "init", "node", "scope", "signature")

    def __init__(self, node: ast.ClassDef, scope: _Scope) -> None:
        self.node = node
        self.scope = scope
        self.init: tuple[_Function, _Scope] | None = None
        self.analysed = False
        self.signature: _Signature | None = None


class _Mark:
    """A binding that says nothing about the value."""


_UNKNOWN = _Mark()
_PARAMETER = _Mark()

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
# A dotted name that was imported, an expression that was assigned, a class, a mark.
_Binding: TypeAlias = "str | ast.expr | _Class | _Mark"
_Value: TypeAlias = "str | _Class | None"


@dataclass(slots=True, eq=False)
class _Scope:
    """What a module, class, function or comprehension binds."""

    kind: Literal["module", "class", "function", "comprehension"]
    parent: _Scope | None = None
    owner: _Class | None = None
    bindings: dict[str, list[_Binding]] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)

    def bind(self, name: str, what: _Binding) -> None:
        """Note that *name* is bound here."""
        self.bindings.setdefault(name, []).append(what)

    def outer(self) -> Iterator[_Scope]:
        """This scope and those around it in which a name is looked up."""
        yield self
        scope = self.parent
        while scope is not None:
            if scope.kind != "class":
                yield scope
            scope = scope.parent


@dataclass(frozen=True, slots=True)
class _Signature:
    """Where a call says its bound.

    Args:
        position: that of the positional argument; None for a keyword-only one.
        name: that of the argument.
        default: the expression used if it is left out; None for 0.
        scope: where the default is evaluated.
    """

    position: int | None
    name: str
    default: ast.expr | None = None
    scope: _Scope | None = None


_CHANNEL = _Signature(0, "maxsize")
_Loops: TypeAlias = tuple[ast.While, ...]
# What is still to be visited, and where.
_Item: TypeAlias = "tuple[ast.AST, _Scope, _Loops]"


class _Walk:
    """Visits each node of a tree once, without recursion: no source is too deep."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = _Scope("module")
        self.classes: list[_Class] = []
        self.calls: list[tuple[ast.Call, _Scope, _Loops]] = []
        self.asyncio = False  # whether it is imported anywhere
        self._declaring: list[_Scope] = []
        stack: list[_Item] = [(tree, self.module, ())]
        self._stack = stack
        handlers = self._HANDLERS
        while stack:
            item = stack.pop()
            handler = handlers.get(type(item[0]))
            if handler is None:
                self._children(*item)
            else:
                handler(self, *item)
        for scope in self._declaring:
            self._move(scope)

    # Names that a function binds elsewhere

    def _move(self, scope: _Scope) -> None:
        for name in scope.globals:
            for what in scope.bindings.pop(name, ()):
                self.module.bind(name, what)
        for name in scope.nonlocals:
            target = next(
                (
                    one
                    for one in scope.outer()
                    if one is not scope and name in one.bindings
                ),
                None,
            )
            for what in scope.bindings.pop(name, ()):
                if target is not None:
                    target.bind(name, what)

    # Visiting

    def _children(self, node: ast.AST, scope: _Scope, loops: _Loops) -> None:
        push = self._stack.append
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                for one in value:
                    if isinstance(one, ast.AST):
                        push((one, scope, loops))
            elif isinstance(value, ast.AST):
                push((value, scope, loops))

    def _push(self, nodes: Sequence[ast.AST | None], *where: Any) -> None:
        self._stack.extend((node, *where) for node in nodes if node is not None)

    def _leaf(self, node: ast.AST, scope: _Scope, loops: _Loops) -> None:
        pass

    def _name(self, node: ast.Name, scope: _Scope, loops: _Loops) -> None:
        if not isinstance(node.ctx, ast.Load):
            scope.bind(node.id, _UNKNOWN)

    def _call(self, node: ast.Call, scope: _Scope, loops: _Loops) -> None:
        self.calls.append((node, scope, loops))
        self._push((node.func, *node.args), scope, loops)
        self._push([keyword.value for keyword in node.keywords], scope, loops)

    def _while(self, node: ast.While, scope: _Scope, loops: _Loops) -> None:
        self._push((node.test, *node.body), scope, (*loops, node))
        self._push(node.orelse, scope, loops)

    def _assign(self, node: ast.Assign, scope: _Scope, loops: _Loops) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                scope.bind(target.id, node.value)
            else:
                self._push((target,), scope, loops)
        self._push((node.value,), scope, loops)

    def _annotated(self, node: ast.AnnAssign, scope: _Scope, loops: _Loops) -> None:
        if not isinstance(node.target, ast.Name):
            self._push((node.target,), scope, loops)
        elif node.value is not None:
            scope.bind(node.target.id, node.value)
        self._push((node.annotation, node.value), scope, loops)

    def _walrus(self, node: ast.NamedExpr, scope: _Scope, loops: _Loops) -> None:
        where = scope
        while where.kind == "comprehension" and where.parent is not None:
            where = where.parent
        where.bind(node.target.id, node.value)
        self._push((node.value,), scope, loops)

    def _import(self, node: ast.Import, scope: _Scope, loops: _Loops) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.asyncio |= top == "asyncio"
            scope.bind(alias.asname or top, alias.name if alias.asname else top)

    def _import_from(self, node: ast.ImportFrom, scope: _Scope, loops: _Loops) -> None:
        known = not node.level and node.module is not None
        module = str(node.module)
        self.asyncio |= known and module.partition(".")[0] == "asyncio"
        for alias in node.names:
            if alias.name == "*":
                names = _STAR.get(module, ()) if known else ()
                for name in names or _STAR["asyncio"]:
                    # Another module may bind the same names to something else.
                    what = f"{module}.{name}" if names else _UNKNOWN
                    scope.bind(f"*{name}", what)
            else:
                what = f"{module}.{alias.name}" if known else _UNKNOWN
                scope.bind(alias.asname or alias.name, what)

    def _declaration(
        self, node: ast.Global | ast.Nonlocal, scope: _Scope, loops: _Loops
    ) -> None:
        kind = "globals" if isinstance(node, ast.Global) else "nonlocals"
        getattr(scope, kind).update(node.names)
        self._declaring.append(scope)

    def _handler(self, node: ast.ExceptHandler, scope: _Scope, loops: _Loops) -> None:
        if node.name:
            scope.bind(node.name, _UNKNOWN)
        self._children(node, scope, loops)

    def _pattern(self, node: ast.AST, scope: _Scope, loops: _Loops) -> None:
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name:
            scope.bind(name, _UNKNOWN)
        self._children(node, scope, loops)

    def _generic(self, node: ast.AST, scope: _Scope) -> _Scope:
        """The scope inside the type parameters of a class or function (3.12)."""
        parameters = getattr(node, "type_params", ())
        if not parameters:
            return scope
        inner = _Scope("function", scope)
        for parameter in parameters:
            inner.bind(parameter.name, _UNKNOWN)
        self._push(parameters, inner, ())
        return inner

    def _arguments(
        self, scope: _Scope, inner: _Scope, arguments: ast.arguments
    ) -> None:
        self._push((*arguments.defaults, *arguments.kw_defaults), scope, ())
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [one for one in (arguments.vararg, arguments.kwarg) if one]
        for one in every:
            inner.bind(one.arg, _PARAMETER)
            self._push((one.annotation,), scope, ())

    def _function(self, node: _Function, scope: _Scope, loops: _Loops) -> None:
        scope.bind(node.name, _UNKNOWN)
        self._push(node.decorator_list, scope, loops)
        around = self._generic(node, scope)
        inner = _Scope("function", around)
        self._arguments(around, inner, node.args)
        self._push((node.returns,), around, ())
        self._push(node.body, inner, ())
        if scope.owner is not None and node.name == "__init__":
            scope.owner.init = (node, inner)

    def _lambda(self, node: ast.Lambda, scope: _Scope, loops: _Loops) -> None:
        inner = _Scope("function", scope)
        self._arguments(scope, inner, node.args)
        self._push((node.body,), inner, ())

    def _class(self, node: ast.ClassDef, scope: _Scope, loops: _Loops) -> None:
        around = self._generic(node, scope)
        one = _Class(node, around)
        self.classes.append(one)
        scope.bind(node.name, one)
        self._push(node.decorator_list, scope, loops)
        self._push((*node.bases, *node.keywords), around, loops)
        self._push(node.body, _Scope("class", around, one), ())

    def _comprehension(
        self,
        node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
        scope: _Scope,
        loops: _Loops,
    ) -> None:
        inner = _Scope("comprehension", scope)
        first, *others = node.generators
        self._push((first.iter,), scope, loops)
        if isinstance(node, ast.DictComp):
            self._push((node.key, node.value), inner, loops)
        else:
            self._push((node.elt,), inner, loops)
        self._push((first.target, *first.ifs, *others), inner, loops)

    _HANDLERS: Mapping[type[ast.AST], Callable[..., None]] = {
        ast.Constant: _leaf,
        ast.Pass: _leaf,
        ast.Break: _leaf,
        ast.Continue: _leaf,
        ast.Load: _leaf,
        ast.Store: _leaf,
        ast.Name: _name,
        ast.Call: _call,
        ast.While: _while,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.NamedExpr: _walrus,
        ast.Import: _import,
        ast.ImportFrom: _import_from,
        ast.Global: _declaration,
        ast.Nonlocal: _declaration,
        ast.ExceptHandler: _handler,
        ast.MatchAs: _pattern,
        ast.MatchStar: _pattern,
        ast.MatchMapping: _pattern,
        ast.FunctionDef: _function,
        ast.AsyncFunctionDef: _function,
        ast.Lambda: _lambda,
        ast.ClassDef: _class,
        ast.ListComp: _comprehension,
        ast.SetComp: _comprehension,
        ast.DictComp: _comprehension,
        ast.GeneratorExp: _comprehension,
    }


class _Names:
    """Says what an expression stands for, as far as the file tells it for sure."""

    def __init__(self) -> None:
        # Answers by scope and name, so that names that are assigned to one another in
        # turn take no longer than others; an answer not yet known counts as None.
        self._values: dict[tuple[_Scope, str], _Value] = {}
        self._constants: dict[tuple[_Scope, str], bool] = {}
        self._depth = 0

    def bindings(self, name: str, scope: _Scope) -> tuple[list[_Binding], _Scope]:
        """All bindings of *name* where it is looked up, and the scope that is."""
        for one in scope.outer():
            if name in one.globals:
                while one.parent is not None:
                    one = one.parent
                return one.bindings.get(name, []), one
            found = one.bindings.get(name) or one.bindings.get(f"*{name}")
            if found and name not in one.nonlocals:
                return found, one
        return [], scope

    def value(self, node: ast.expr, scope: _Scope) -> _Value:
        """A dotted name, a class of the file, or None for anything else."""
        attributes = []
        while True:
            if isinstance(node, ast.Attribute):
                attributes.append(node.attr)
            elif not isinstance(node, ast.Subscript) or attributes:
                break
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        value = self.named(node.id, scope)
        if not attributes:
            return value
        if not isinstance(value, str):
            return None
        return ".".join([value, *reversed(attributes)])

    def named(self, name: str, scope: _Scope) -> _Value:
        """What a name stands for: one thing, wherever it is bound, or None."""
        found, where = self.bindings(name, scope)
        key = (where, name)
        if key in self._values or self._depth > _DEPTH:
            return self._values.get(key)
        self._values[key] = None
        values: set[_Value] = set()
        self._depth += 1
        for what in found:
            if isinstance(what, str | _Class):
                values.add(what)
            elif isinstance(what, _Mark):
                values.add(None)
            elif not (isinstance(what, ast.Constant) and what.value is None):
                # `asyncio = None` is what is left where the import failed.
                values.add(self.value(what, where))
        self._depth -= 1
        if len(values) == 1:
            self._values[key] = values.pop()
        return self._values[key]

    def constant(self, name: str, scope: _Scope) -> bool:
        """Whether a name stands for such a constant wherever it is bound."""
        found, where = self.bindings(name, scope)
        key = (where, name)
        if key not in self._constants and self._depth <= _DEPTH:
            self._constants[key] = False
            self._depth += 1
            self._constants[key] = bool(found) and all(
                isinstance(what, ast.expr) and self.not_positive(what, where)
                for what in found
            )
            self._depth -= 1
        return self._constants.get(key, False)

    def not_positive(self, node: ast.expr, scope: _Scope) -> bool:
        """Whether *node* is surely a constant that is 0, negative, False or None."""
        signs: list[ast.unaryop] = []
        while isinstance(node, ast.UnaryOp):
            signs.append(node.op)
            node = node.operand
        if isinstance(node, ast.Name) and not signs:
            return self.constant(node.id, scope)
        if not isinstance(node, ast.Constant):
            return False
        value = node.value
        if value is None:
            return not signs
        if not isinstance(value, int | float):
            return False
        for sign in reversed(signs):
            if isinstance(sign, ast.USub):
                value = -value
            elif isinstance(sign, ast.Not):
                value = not value
            elif isinstance(sign, ast.Invert):
                if isinstance(value, float):
                    return False
                value = ~int(value)
        return value <= 0


class _Check(_Names):
    """Applies the rules to what a walk has found."""

    def __init__(self, walk: _Walk) -> None:
        super().__init__()
        self.findings: list[tuple[ast.expr, str, str]] = []
        sleeps: list[tuple[ast.Call, _Loops]] = []
        for one in sorted(walk.classes, key=lambda one: one.node.lineno):
            self.analyse(one)
        for call, scope, loops in walk.calls:
            value = self.value(call.func, scope)
            if value is not None:
                if value in _SLEEPS:
                    delay = self.argument(call, _Signature(0, "delay"))
                    if isinstance(delay, ast.expr) and self.not_positive(delay, scope):
                        sleeps.append((call, loops))
                elif value == "functools.partial":
                    self.partial(call, scope)
                elif value in _MAKERS:
                    if call.args:
                        self.factory(call.args[0], scope, "")
                else:
                    self.channel(call, self.signature(value), scope)
            for keyword in call.keywords:
                if keyword.arg == "default_factory" or (
                    keyword.arg == "factory" and value in _FIELDS
                ):
                    self.factory(keyword.value, scope, f"{keyword.arg}=")
        self.sleeps(sleeps)

    def add(self, node: ast.expr, code: str, message: str) -> None:
        """Note a finding at the beginning of *node*."""
        self.findings.append((node, code, message))

    # LAG101

    @staticmethod
    def argument(
        call: ast.Call, signature: _Signature, skip: int = 0
    ) -> ast.expr | _Mark | None:
        """The argument of a call; None if it is left out, a mark if that is open."""
        for keyword in call.keywords:
            if keyword.arg == signature.name:
                return keyword.value
        if signature.position is not None:
            position = signature.position + skip
            given = call.args[: position + 1]
            if any(isinstance(one, ast.Starred) for one in given):
                return _UNKNOWN
            if len(given) > position:
                return given[position]
        elif any(isinstance(one, ast.Starred) for one in call.args):
            return None if signature.default else _UNKNOWN
        if any(keyword.arg is None for keyword in call.keywords):
            return _UNKNOWN
        return None

    def unbounded(
        self, call: ast.Call, signature: _Signature, scope: _Scope, skip: int = 0
    ) -> str | None:
        """The words for what makes the channel unbounded; None if nothing does."""
        bound = self.argument(call, signature, skip)
        if isinstance(bound, _Mark):
            return None
        if bound is not None:
            if not self.not_positive(bound, scope):
                return None
            return f" with {signature.name}={_literal(bound)}"
        if signature.default is not None and not self.not_positive(
            signature.default, signature.scope or scope
        ):
            return None
        return ""

    def channel(
        self, call: ast.Call, signature: _Signature | None, scope: _Scope, skip: int = 0
    ) -> None:
        """LAG101 for a call that makes a channel."""
        if signature is None:
            return
        how = self.unbounded(call, signature, scope, skip)
        if how is None:
            return
        name = _dotted(call.func)
        what = "makes a channel without a" if name.endswith("__init__") else "has no"
        self.add(
            call,
            "LAG101",
            f"{name}(){how} {what} bound, {_WHY}: pass {signature.name}=1, {_BOUND}",
        )

    def partial(self, call: ast.Call, scope: _Scope) -> None:
        """LAG101 for a call of ``functools.partial``."""
        if not call.args:
            return
        value = self.value(call.args[0], scope)
        signature = None if value is None else self.signature(value)
        if signature is None:
            return
        if self.unbounded(call, signature, scope, 1) is not None:
            name = _dotted(call.args[0])
            self.add(
                call,
                "LAG101",
                f"{_dotted(call.func)}({name}) makes channels without a bound, {_WHY}: "
                f"add {signature.name}=1, {_BOUND}",
            )

    def factory(self, node: ast.expr, scope: _Scope, how: str) -> None:
        """LAG101 for a class that is called without arguments later."""
        value = self.value(node, scope)
        signature = None if value is None else self.signature(value)
        if signature is None:
            return
        empty = ast.Call(func=node, args=[], keywords=[])
        if self.unbounded(empty, signature, scope) is not None:
            name = _dotted(node)
            self.add(
                node,
                "LAG101",
                f"{how}{name} makes channels without a bound, {_WHY}: "
                f"write {how}lambda: {name}({signature.name}=1), {_BOUND}",
            )

    def signature(self, value: str | _Class) -> _Signature | None:
        """How a channel is called; None for what is none, or has its own bound."""
        if isinstance(value, str):
            return _CHANNEL if value in _CHANNELS else None
        return self.analyse(value)

    def analyse(self, one: _Class) -> _Signature | None:
        """Look at a class of the file; report a bound that its ``__init__`` lacks."""
        if one.analysed or self._depth > _DEPTH:
            return one.signature
        one.analysed = True  # before the bases: they may be circular
        self._depth += 1
        signature = self.inherited(one)
        self._depth -= 1
        if signature is not None and one.init is not None:
            signature = self.own(one, signature, *one.init)
        one.signature = signature
        return signature

    def inherited(self, one: _Class) -> _Signature | None:
        """How the class is called unless it has its own ``__init__``."""
        for decorator in one.node.decorator_list:
            if _dotted(decorator).removesuffix("()").split(".")[-1] in _WRITERS:
                return None
        for base in one.node.bases:
            value = self.value(base, one.scope)
            if isinstance(value, _Class):
                signature = self.analyse(value)
                if signature is None and (value.init or value.node.bases):
                    return None
            elif isinstance(value, str):
                signature = self.signature(value)
                if signature is None and value not in _HARMLESS:
                    return None
            else:
                return None  # a base that may have its own __init__
            if signature is not None:
                return signature
        return None

    def own(
        self, one: _Class, base: _Signature, init: _Function, inside: _Scope
    ) -> _Signature | None:
        """How a class with its own ``__init__`` is called."""
        calls = [
            (call, skip)
            for call in ast.walk(init)
            if isinstance(call, ast.Call)
            and (skip := self.is_base_init(call, one, inside)) is not None
        ]
        for call, skip in calls:
            self.channel(call, base, inside, skip)
        if len(calls) != 1:
            return None
        call, skip = calls[0]
        bound = self.argument(call, base, skip)
        every = init.args
        positional = [*every.posonlyargs, *every.args]
        if isinstance(bound, _Mark):
            passed_on = (
                len(positional) == 1
                and _passes_on(call.args[skip:], every.vararg)
                and all(keyword.arg is None for keyword in call.keywords)
            )
            return base if passed_on else None
        if not isinstance(bound, ast.Name):
            return None
        found, _ = self.bindings(bound.id, inside)
        if found != [_PARAMETER]:
            return None
        defaults: dict[str, ast.expr | None] = {}
        last = positional[len(positional) - len(every.defaults) :]
        for arg, given in (
            *zip(last, every.defaults, strict=True),
            *zip(every.kwonlyargs, every.kw_defaults, strict=True),
        ):
            defaults[arg.arg] = given
        default = defaults.get(bound.id)
        names = [arg.arg for arg in positional]
        position = names.index(bound.id) - 1 if bound.id in names else None
        if default is None:
            default = ast.Constant(1)  # it cannot be left out
        return _Signature(position, bound.id, default, one.scope)

    def is_base_init(self, call: ast.Call, one: _Class, inside: _Scope) -> int | None:
        """How many arguments come before the base's own, if it is called at all."""
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr != "__init__":
            return None
        target = func.value
        if isinstance(target, ast.Call):
            is_super = isinstance(target.func, ast.Name) and target.func.id == "super"
            return 0 if is_super else None
        value = self.value(target, inside)
        bases = [self.value(base, one.scope) for base in one.node.bases]
        return 1 if value is not None and value in bases else None

    # LAG201 and LAG202

    def sleeps(self, sleeps: Sequence[tuple[ast.Call, _Loops]]) -> None:
        """LAG201 for what polls, LAG202 for the rest."""
        rounds = Rounds({call for call, _ in sleeps})
        for call, loops in sleeps:
            if any(call in rounds.polled(loop) for loop in loops):
                self.add(call, "LAG201", _POLLING)
            else:
                self.add(call, "LAG202", _STRAIGHT)


_HARMLESS = frozenset(
    f"{module}.{name}"
    for module in ("typing", "typing_extensions", "abc")
    for name in ("Generic", "Protocol", "ABC")
)


# Decorators that write an __init__.
_WRITERS = frozenset(("attrs", "dataclass", "define", "frozen", "mutable", "s"))


def _passes_on(arguments: Sequence[ast.expr], vararg: ast.arg | None) -> bool:
    """Whether the arguments are ``*args`` and nothing else."""
    if vararg is None or len(arguments) != 1:
        return False
    star = arguments[0]
    return (
        isinstance(star, ast.Starred)
        and isinstance(star.value, ast.Name)
        and star.value.id == vararg.arg
    )


_SIGNS = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not "}


def _literal(node: ast.expr) -> str:
    """A constant as it was written, or nearly."""
    signs = ""
    while isinstance(node, ast.UnaryOp):
        signs += _SIGNS[type(node.op)]
        node = node.operand
    if isinstance(node, ast.Name):
        return signs + node.id
    value = getattr(node, "value", None)
    # Python refuses to write a number of thousands of digits.
    short = not isinstance(value, int) or value.bit_length() < 64
    return f"{signs}{value!r}" if short and len(signs) < 10 else "..."


def _dotted(node: ast.expr) -> str:
    """*node* as the reader wrote it, without its type arguments."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            break
    if isinstance(node, ast.Call):
        parts.append(f"{_dotted(node.func)}()")
    elif isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))


def _mentions_asyncio(lines: Sequence[str]) -> bool:
    """Whether the file can import asyncio at all: most cannot, and need no walk."""
    if any("asyncio" in line for line in lines):
        return True
    # Python reads a name that is written in other letters of the same form, too.
    return any(
        "asyncio" in unicodedata.normalize("NFKC", line)
        for line in lines
        if not line.isascii()
    )


def check_tree(tree: ast.Module, lines: Sequence[str]) -> list[Finding]:
    """All findings of all rules in a syntax tree, sorted; no comment is looked at.

    Args:
        tree: what ``ast.parse`` returned.
        lines: the lines of the same source, with their ends.

    Returns:
        The findings of every rule, also of those that are off by default.
    """
    if not _mentions_asyncio(lines):
        return []
    walk = _Walk(tree)
    if not walk.asyncio:
        return []
    return sorted(
        Finding(node.lineno, _column(node, lines), code, message)
        for node, code, message in _Check(walk).findings
    )


def _column(node: ast.expr, lines: Sequence[str]) -> int:
    """The column in characters, from 1; the tree counts bytes from 0."""
    offset = node.col_offset
    line = lines[node.lineno - 1] if node.lineno <= len(lines) else ""
    if not line.isascii():
        offset = len(line.encode()[:offset].decode(errors="replace"))
    return offset + 1
