"""What in an answer a teacher should read, because it could deceive a check.

Some checks have to share a process with the answer (see :mod:`.grading`).  There code
can in principle reach the check.  No answer of the course needs what this looks for, so
an answer that passes and has one of these is not called wrong: a person reads it.

This is no sandbox.  It makes deceit visible; what keeps the machine whole is in
:mod:`.walls`.
"""

from __future__ import annotations

import ast

__all__ = ["ALLOWED", "look"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Modules that an answer may import.
ALLOWED = _words(
    "__future__ abc asyncio bisect collections concurrent contextlib contextvars copy "
    "dataclasses datetime decimal enum fractions functools heapq itertools looplab "
    "math numbers queue random re statistics string threading time typing"
)
_NAMES = _words(
    "breakpoint compile delattr eval exec getattr globals input locals open setattr "
    "type vars memoryview help __import__ __builtins__ __loader__ __spec__"
)
#: Ways into other modules, frames and code, and to the tasks of a check.
_ATTRIBUTES = _words(
    "sys os builtins gc inspect ctypes importlib modules socket subprocess signal "
    "types linecache traceback weakref warnings logging attrgetter methodcaller "
    "cr_frame cr_code cr_await cr_origin gi_frame gi_code gi_yieldfrom ag_frame "
    "ag_code ag_await tb_frame tb_next f_back f_globals f_locals f_builtins f_code "
    "get_stack print_stack all_tasks get_objects get_referrers get_referents "
    "set_event_loop set_event_loop_policy set_task_factory set_debug "
    "mro format_map"
)
_DUNDERS = frozenset({"__init__", "__name__", "__enter__", "__exit__"})
_DUNDERS |= {"__aenter__", "__aexit__", "__await__", "__aiter__", "__anext__"}


def look(source: str) -> str:
    """The first thing in *source* that a teacher should read, or nothing.

    Raises:
        SyntaxError: it is no program.
    """
    tree = compile(
        source, "<answer>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    )
    found = [
        (getattr(node, "lineno", 0), what)
        for node in ast.walk(tree)
        for what in _in(node)
    ]
    if not found:
        return ""
    line, what = min(found)
    return f"line {line} {what}"


def _in(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
        return [f"imports {name}" for name in names if not _may_import(name)]
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        names = [alias.name for alias in node.names]
        return [
            f"imports {name} from {module or '.'}"
            for name in names
            if node.level or not _may_import(module) or name == "*" or _hidden(name)
        ]
    if isinstance(node, ast.Name):
        if node.id in _NAMES or (node.id.startswith("__") and node.id != "__name__"):
            return [f"uses {node.id}"]
    elif isinstance(node, ast.Attribute):
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        if node.attr in _ATTRIBUTES or (_hidden(node.attr) and not own):
            return [f"uses .{node.attr}"]
        if own and node.attr.startswith("__") and node.attr not in _DUNDERS:
            return [f"uses .{node.attr}"]
        if isinstance(node.ctx, (ast.Store, ast.Del)) and not own:
            return [f"changes .{node.attr} of something that it may not own"]
    elif isinstance(node, ast.MatchClass) and any(map(_hidden, node.kwd_attrs)):
        return ["matches a hidden attribute"]
    elif isinstance(node, (ast.Global,)):
        return [f"declares {node.names[0]} global"]
    return []


def _may_import(module: str) -> bool:
    parts = module.split(".")
    return parts[0] in ALLOWED and not any(map(_hidden, parts[1:]))


def _hidden(name: str) -> bool:
    if name in _ATTRIBUTES:
        return True
    return name.startswith("_") and name not in _DUNDERS
