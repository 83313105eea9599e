"""Which calls make a channel that has no bound."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .libraries import CHANNELS, PAIRS
from .names import DEPTH, Names
from .scopes import (
    PARAMETER,
    UNKNOWN,
    Class,
    Default,
    Function,
    Mark,
    Scope,
    Signature,
    Value,
)
from .walk import Walk

__all__ = ["Channels", "Made"]

# Functions whose first argument is called without arguments later.
_MAKERS = frozenset(
    ("collections.defaultdict", "typing.DefaultDict", "attr.Factory", "attrs.Factory")
)
# Functions whose keyword argument `factory` is.
_FIELDS = frozenset(("attr.ib", "attr.attrib", "attr.field", "attrs.field"))


@dataclass(frozen=True, slots=True)
class Made:
    """A place that makes channels without a bound.

    Args:
        node: what is reported.
        how: a call; a class that is called later; ``functools.partial``; the
            ``__init__`` of a class of the file that derives from a channel.
        name: what makes it, as it was written.
        bound: the name of the argument that bounds it.
        pair: whether it has two ends.
        ordered: whether it gives its items in another order than they came in, for
            which it has to hold several.
        owner: the class of the file, for an ``__init__``.
    """

    node: ast.expr
    how: Literal["call", "factory", "partial", "class"]
    name: str
    bound: str
    pair: bool = False
    ordered: bool = False
    owner: Class | None = None


class Channels(Names):
    """Finds them all.

    Args:
        walk: what was found in the file.
    """

    def __init__(self, walk: Walk) -> None:
        super().__init__()
        self.made: list[Made] = []
        #: Those that have a bound.
        self.bounded: list[Made] = []
        #: What each call calls, as far as that is known.
        self.called: dict[ast.Call, str] = {}
        self._owner: Class | None = None
        for one in sorted(walk.classes, key=lambda one: one.node.lineno):
            self.analyse(one)
        for call, scope, _ in walk.calls:
            value = self.value(call.func, scope)
            if isinstance(value, str):
                self.called[call] = value
            if value == "functools.partial":
                self.partial(call, scope)
            elif value is not None and value in _MAKERS:
                if call.args:
                    self.factory(call.args[0], scope)
            elif value is not None:
                self.call(call, self.signature(value), scope, value=value)
            for keyword in call.keywords:
                if keyword.arg == "default_factory" or (
                    keyword.arg == "factory" and value in _FIELDS
                ):
                    self.factory(keyword.value, scope)

    @staticmethod
    def argument(
        call: ast.Call, signature: Signature, skip: int = 0
    ) -> ast.expr | Mark | None:
        """The argument of a call; None if it is left out, a mark if that is open."""
        for keyword in call.keywords:
            if keyword.arg == signature.name:
                return keyword.value
        if signature.position is not None:
            position = signature.position + skip
            given = call.args[: position + 1]
            if any(isinstance(one, ast.Starred) for one in given):
                return UNKNOWN
            if len(given) > position:
                return given[position]
        elif any(isinstance(one, ast.Starred) for one in call.args):
            return None if signature.default else UNKNOWN
        if any(keyword.arg is None for keyword in call.keywords):
            return UNKNOWN
        return None

    def unbounded(
        self, call: ast.Call, signature: Signature, scope: Scope, skip: int = 0
    ) -> bool:
        """Whether nothing bounds the channel that a call makes."""
        bound = self.argument(call, signature, skip)
        if isinstance(bound, Mark):
            return False
        if bound is not None:
            return self.no_bound(bound, scope, signature)
        return signature.default is None or self.no_bound(
            signature.default, signature.scope or scope, signature
        )

    def call(
        self,
        call: ast.Call,
        signature: Signature | None,
        scope: Scope,
        skip: int = 0,
        value: Value = None,
    ) -> None:
        """Note a call that makes a channel."""
        if signature is None:
            return
        free = self.unbounded(call, signature, scope, skip)
        name = _dotted(call.func)
        of_class = name.endswith("__init__")
        (self.made if free else self.bounded).append(
            Made(
                call,
                "class" if of_class else "call",
                f"{name}()",
                signature.name,
                value in PAIRS,
                self.ordered(call.func, scope),
                self._owner if of_class else None,
            )
        )

    def partial(self, call: ast.Call, scope: Scope) -> None:
        """Note a call of ``functools.partial``."""
        if not call.args:
            return
        value = self.value(call.args[0], scope)
        signature = None if value is None else self.signature(value)
        if signature is not None and self.unbounded(call, signature, scope, 1):
            name = f"{_dotted(call.func)}({_dotted(call.args[0])})"
            ordered = self.ordered(call.args[0], scope)
            self.made.append(
                Made(call, "partial", name, signature.name, ordered=ordered)
            )

    def factory(self, node: ast.expr, scope: Scope) -> None:
        """Note a class that is called without arguments later."""
        value = self.value(node, scope)
        signature = None if value is None else self.signature(value)
        if signature is None:
            return
        empty = ast.Call(func=node, args=[], keywords=[])
        if self.unbounded(empty, signature, scope):
            name, ordered = _dotted(node), self.ordered(node, scope)
            self.made.append(
                Made(node, "factory", name, signature.name, ordered=ordered)
            )

    def ordered(self, node: ast.expr, scope: Scope, depth: int = DEPTH) -> bool:
        """Whether what is called gives its items in an order of its own."""
        value = self.value(node, scope)
        if isinstance(value, Class):
            return depth > 0 and any(
                self.ordered(base, value.scope, depth - 1) for base in value.node.bases
            )
        return value is not None and value.endswith(("PriorityQueue", "LifoQueue"))

    def signature(self, value: str | Class) -> Signature | None:
        """How a channel is called; None for what is none, or has its own bound."""
        if isinstance(value, str):
            return CHANNELS.get(value)
        return self.analyse(value)

    def analyse(self, one: Class) -> Signature | None:
        """Look at a class of the file; report a bound that its ``__init__`` lacks."""
        if one.analysed or self._depth > DEPTH:
            return one.signature
        one.analysed = True  # before the bases: they may be circular
        self._depth += 1
        signature = self.inherited(one)
        self._depth -= 1
        if signature is not None and one.init is not None:
            signature = self.own(one, signature, *one.init)
        one.signature = signature
        return signature

    def inherited(self, one: Class) -> Signature | None:
        """How the class is called unless it has its own ``__init__``."""
        for decorator in one.node.decorator_list:
            if _dotted(decorator).removesuffix("()").split(".")[-1] in _WRITERS:
                return None
        for base in one.node.bases:
            value = self.value(base, one.scope)
            if isinstance(value, Class):
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
        self, one: Class, base: Signature, init: Function, inside: Scope
    ) -> Signature | None:
        """How a class with its own ``__init__`` is called."""
        self._owner = one
        calls = [
            (call, skip)
            for call in ast.walk(init)
            if isinstance(call, ast.Call)
            and (skip := self.is_base_init(call, one, inside)) is not None
        ]
        for call, skip in calls:
            self.call(call, base, inside, skip)
        if len(calls) != 1:
            return None
        call, skip = calls[0]
        bound = self.argument(call, base, skip)
        every = init.args
        positional = [*every.posonlyargs, *every.args]
        if isinstance(bound, Mark):
            passed_on = (
                len(positional) == 1
                and _passes_on(call.args[skip:], every.vararg)
                and all(keyword.arg is None for keyword in call.keywords)
            )
            return base if passed_on else None
        if not isinstance(bound, ast.Name):
            return None
        found, _ = self.bindings(bound.id, inside)
        if len(found) != 1 or not (
            found[0] is PARAMETER or isinstance(found[0], Default)
        ):
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
        return Signature(position, bound.id, default, one.scope)

    def is_base_init(self, call: ast.Call, one: Class, inside: Scope) -> int | None:
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
