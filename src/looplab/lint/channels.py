"""Which calls make a channel that has no bound."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

from .libraries import CHANNELS, PAIRS, words
from .names import DEPTH, UNKNOWN, Class, Mark, Names, Scope, Signature
from .walk import Walk

# Functions whose first argument is called without arguments later.
_MAKERS = words("collections.defaultdict typing.DefaultDict attr.Factory attrs.Factory")
# Functions whose keyword argument `factory` is.
_FIELDS = words("attr.ib attr.attrib attr.field attrs.field")
# Bases that have no __init__ of their own.
_HARMLESS = frozenset(
    f"{module}.{name}"
    for module in ("typing", "typing_extensions", "abc")
    for name in ("Generic", "Protocol", "ABC")
)
# Decorators that write an __init__.
_WRITERS = words("attrs dataclass define frozen mutable s")


@dataclass(frozen=True, slots=True)
class Made:
    """A place that makes channels."""

    node: ast.expr  # what is reported: a call, or a class that is called later
    name: str  # what makes it, as it was written
    bound: str  # the argument that bounds it
    pair: bool  # whether it has two ends


class Channels(Names):
    """Finds them all."""

    def __init__(self, walk: Walk) -> None:
        super().__init__()
        self.made: list[Made] = []
        #: Those that have a bound.
        self.bounded: list[Made] = []
        #: What each call calls, as far as that is known.
        self.called: dict[ast.Call, str] = {}
        for call, scope in walk.calls:
            value = self.value(call.func, scope)
            if isinstance(value, str):
                self.called[call] = value
            self._note(call.func, scope, call)
            if value == "functools.partial" and call.args:
                self._note(call.args[0], scope, call)
            later = list(call.args[:1]) if value in _MAKERS else []
            for keyword in call.keywords:
                if keyword.arg == "default_factory" or (
                    keyword.arg == "factory" and value in _FIELDS
                ):
                    later.append(keyword.value)
            for func in later:
                self._note(func, scope)
        self.made.sort(key=lambda made: made.node.lineno)

    @staticmethod
    def argument(
        call: ast.Call, signature: Signature, skip: int = 0
    ) -> ast.expr | Mark | None:
        """The argument of a call; None if it is left out, a mark if that is open."""
        for keyword in call.keywords:
            if keyword.arg == signature.name:
                return keyword.value
        position = signature.position + skip
        given = call.args[: position + 1]
        if any(isinstance(argument, ast.Starred) for argument in given):
            return UNKNOWN
        if len(given) > position:
            return given[position]
        return UNKNOWN if any(word.arg is None for word in call.keywords) else None

    def _is_free(
        self, call: ast.Call, signature: Signature, scope: Scope, skip: int
    ) -> bool:
        """Whether nothing bounds the channel that a call makes."""
        bound = self.argument(call, signature, skip)
        if isinstance(bound, Mark):
            return False
        if bound is None:
            return signature.zero
        return self.number(bound, scope) == math.inf or (
            signature.zero and self.not_positive(bound, scope)
        )

    def _note(self, func: ast.expr, scope: Scope, call: ast.Call | None = None) -> None:
        """Note a class, if it is a channel, that is called: later if no call is given.

        A call of ``functools.partial`` passes arguments for later.
        """
        value = self.value(func, scope)
        signature = None if value is None else self._signature(value)
        if signature is None:
            return
        call, node = call or ast.Call(func, [], []), call or func
        skip = int(call.func is not func)
        name = _dotted(func)
        if skip:
            name = f"{_dotted(call.func)}({name})"
        elif call is node:
            name += "()"
        made = Made(node, name, signature.name, value in PAIRS)
        is_free = self._is_free(call, signature, scope, skip)
        (self.made if is_free else self.bounded).append(made)

    def _signature(self, value: str | Class) -> Signature | None:
        """How a channel is called; None for what is none, or has its own bound."""
        return CHANNELS.get(value) if isinstance(value, str) else self._analyse(value)

    def _analyse(self, cls: Class) -> Signature | None:
        """How a class of the file is called, if it is a channel as it stands."""
        if cls.analysed or self._depth > DEPTH:
            return cls.signature
        cls.analysed = True  # before the bases: they may be circular
        self._depth += 1
        signature = self._inherited(cls)
        self._depth -= 1
        # Else it has its own say in what it holds.
        if not cls.defines("put", "put_nowait", "__init__"):
            cls.signature = signature
        return cls.signature

    def _inherited(self, cls: Class) -> Signature | None:
        """How the class is called unless it has its own ``__init__``."""
        for decorator in cls.node.decorator_list:
            func = decorator.func if isinstance(decorator, ast.Call) else decorator
            if getattr(func, "attr", getattr(func, "id", "")) in _WRITERS:
                return None
        for base in cls.node.bases:
            value = self.value(base, cls.scope)
            signature = None if value is None else self._signature(value)
            if signature is not None:
                return signature
            if isinstance(value, Class):
                is_harmless = not (value.defines("__init__") or value.node.bases)
            else:
                is_harmless = value in _HARMLESS
            if not is_harmless:
                return None  # a base that may have its own __init__
        return None


def _dotted(node: ast.expr) -> str:
    """*node* as the reader wrote it, without its type arguments."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return ast.unparse(node)
