"""How many items a loop goes over, as far as the file tells it."""

from __future__ import annotations

import ast
import math

from .libraries import words
from .objects import Objects, calls, name_of, own

#: A source of so many items that are written out is no stream.
FEW = 100
# More than that, and nobody knows how many.
_MANY = 1e9
# What has a length.
_SIZED = words(
    "list tuple set frozenset dict sorted deque List Tuple Set FrozenSet Dict Sequence "
    "MutableSequence Collection Mapping AbstractSet"
)
_SAME = words("enumerate zip map filter reversed sorted list tuple set iter")
_GROWS = frozenset(("append", "extend", "add", "insert", "update"))


def size(objects: Objects, source: ast.expr, depth: int = 5) -> float | None:
    """How many items a source of a loop brings.

    It is 0 for a collection in memory, infinity for what has no end, and None if the
    file does not tell.
    """
    if isinstance(source, ast.Name | ast.Attribute) and _is_in_memory(objects, source):
        return 0
    if isinstance(source, ast.List | ast.Tuple | ast.Set):
        starred = any(isinstance(element, ast.Starred) for element in source.elts)
        return None if starred else len(source.elts)
    if not depth:
        return None
    inner: list[ast.expr] = []
    if isinstance(source, ast.BoolOp):  # `items or []`
        inner = [x for x in source.values if not isinstance(x, ast.List) or x.elts]
    elif isinstance(source, ast.GeneratorExp):
        inner = [source.generators[0].iter]
    elif isinstance(source, ast.Name):
        if _is_file(objects, source):
            return _MANY
        bound, where = objects.names.bindings(source.id, objects.scope(source))
        if len(bound) == 1 and not objects.asked((where, source.id)) & _GROWS:
            inner = [what for what in bound if isinstance(what, ast.expr)]
    elif isinstance(source, ast.Call):
        name = name_of(source.func)
        if name == "range" and source.args:
            scope = objects.scope(source)
            ends = [objects.names.number(arg, scope) for arg in source.args[:2]]
            numbers = [end for end in ends if end is not None]
            return abs(numbers[-1] - [0, *numbers][-2]) if numbers == ends else None
        if name in ("items", "keys", "values") and isinstance(
            source.func, ast.Attribute
        ):
            inner = [source.func.value]
        elif name in _SAME and not (name == "iter" and len(source.args) == 2):
            inner = source.args
        else:
            return _of_call(objects, source)
    sizes = [size(objects, part, depth - 1) for part in inner]
    return min((number for number in sizes if number is not None), default=None)


def _of_call(objects: Objects, call: ast.Call) -> float | None:
    """How many items an iterator or a generator brings."""
    value = objects.names.called.get(call, "")
    if value in ("itertools.count", "itertools.cycle") or (
        value == "itertools.repeat" and len(call.args) == 1
    ):
        return math.inf
    if name_of(call.func) == "iter":  # it is called again and again
        return math.inf
    nodes = [x for body in objects.functions(call.func) for x in own(body)]
    if any(
        isinstance(node, ast.While)
        and isinstance(node.test, ast.Constant)
        and any(isinstance(inner, ast.Yield) for inner in ast.walk(node))
        for node in nodes
    ):
        return math.inf
    yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes)
    return _MANY if yields or value.startswith("itertools.") else None


def _is_file(objects: Objects, source: ast.Name) -> bool:
    """Whether a name is that of a file which is open around its place."""
    return any(
        name_of(item.optional_vars) == source.id
        and name_of(getattr(item.context_expr, "func", None)) == "open"
        for parent, _ in objects.around(source)
        for item in getattr(parent, "items", ())
    )


def _is_in_memory(objects: Objects, source: ast.Name | ast.Attribute) -> bool:
    """Whether a source is a collection: a queue adds little to what is there."""
    for origin in objects.origins(source):
        parts = [origin]
        if isinstance(origin, ast.BinOp):  # list[int] | None
            parts = [origin.left, origin.right]
        if any(name_of(getattr(part, "func", part)) in _SIZED for part in parts):
            return True
    key = objects.key(source)
    if isinstance(source, ast.Name):
        bound, _ = objects.names.bindings(source.id, objects.scope(source))
        if len(bound) == 1 and isinstance(bound[0], ast.ListComp | ast.SetComp):
            return True
    function = objects.function(source)
    return function is not None and any(
        name_of(node.func) == "len"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Name | ast.Attribute)
        and objects.key(node.args[0]) == key
        for node in calls(function)
    )
