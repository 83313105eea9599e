"""How a function reaches the clean interpreter: by its name, or as its source.

A function of a module is imported there by name.  One of the script that is running is
read from the script's file.  One of a notebook goes as its source code, together with
the imports, the plain constants and the other functions that it uses.  The rest cannot
be sent, and the error says why and what to do.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import importlib.util
import inspect
import linecache
import reprlib
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

__all__ = ["UnsendableError", "describe", "load"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes)


class UnsendableError(TypeError):
    """A function cannot be sent to a clean interpreter; the message says why."""


def describe(
    function: Callable[..., Any] | str, *, what: str = "coro_fn", is_async: bool = True
) -> dict[str, Any]:
    """How to find *function* in another process, in words that JSON can hold.

    Args:
        function: the function, or ``"module:name"``.
        what: the name of the argument, for messages.
        is_async: whether it must be a coroutine function, or else must not be one.

    Raises:
        TypeError: it is not a function of that kind.
        ValueError: it is a string of another form.
        UnsendableError: it cannot be sent.
    """
    if isinstance(function, str):
        module, colon, name = function.partition(":")
        words = [*module.split("."), *name.split(".")]
        if not colon or not all(word.isidentifier() for word in words):
            raise ValueError(
                f"{what} is {function!r}: write module:function, such as "
                "'mypackage.service:handle'"
            )
        return {"kind": "module", "module": module, "name": name}
    _need_function(function, what, is_async)
    name = function.__qualname__
    if "<locals>" in name or "<lambda>" in name:
        raise UnsendableError(
            f"{what} {name} is defined inside another function, where another process "
            "cannot find it: define it at the top level"
        )
    if function.__module__ == "__main__":
        main = sys.modules["__main__"]
        if main.__spec__ is not None:  # python -m package.module
            return {"kind": "module", "module": main.__spec__.name, "name": name}
        path = getattr(main, "__file__", None)
        if path is None or not Path(path).is_file():
            assert isinstance(function, types.FunctionType)
            return {"kind": "source", "source": _source_of(function), "name": name}
        return {"kind": "file", "path": str(Path(path).resolve()), "name": name}
    if _find(sys.modules.get(function.__module__), name) is not function:
        raise UnsendableError(
            f"{what} {name} is not what {function.__module__}:{name} names (a "
            "decorator or a later definition took its place): give the function that "
            "the module holds under this name"
        )
    return {"kind": "module", "module": function.__module__, "name": name}


def _need_function(function: object, what: str, is_async: bool) -> None:
    if inspect.iscoroutine(function):
        function.close()
        raise TypeError(
            f"{what} is a coroutine, which can run only once: hand over the function, "
            "without calling it"
        )
    if isinstance(function, functools.partial):
        raise TypeError(
            f"{what} is a functools.partial: hand over the function, and its arguments "
            "as args=(...)"
        )
    if inspect.ismethod(function):
        raise UnsendableError(
            f"{what} is a method of an object, which would have to be sent as well: "
            "write a function that makes the object and calls the method"
        )
    if inspect.isasyncgenfunction(function):
        raise TypeError(
            f"{what} {function.__name__} is an async generator function: write an "
            "async function that iterates over it"
        )
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"{what} must be a function, not {reprlib.repr(function)}")
    if is_async and not inspect.iscoroutinefunction(function):
        raise TypeError(
            f"{what} {function.__name__} is a plain function: a coroutine function is "
            "made with async def"
        )
    if not is_async and inspect.iscoroutinefunction(function):
        raise TypeError(f"{what} {function.__name__} must be a plain function")


def _find(root: object, name: str) -> Any:
    for part in name.split("."):
        root = getattr(root, part, None)
    return root


# ------------------------------------------------------- functions of a notebook


def _source_of(function: types.FunctionType) -> str:
    """The source of *function* and of all that it uses."""
    parts: dict[str, str] = {}
    _add(function, parts)
    # Annotations are not evaluated: they may name what was not sent.
    return "\n".join(["from __future__ import annotations", *parts.values()])


def _add(function: types.FunctionType, parts: dict[str, str]) -> None:
    name = function.__name__
    if function.__closure__:
        raise UnsendableError(
            f"{name} uses variables of the function around it: "
            "define it at the top level, and pass them as args"
        )
    linecache.checkcache(function.__code__.co_filename)
    try:
        source = dedent(inspect.getsource(function))
        tree = ast.parse(source)
    except (OSError, SyntaxError) as error:
        raise UnsendableError(
            f"the source of {name} cannot be found: write the function to a module (in "
            "a notebook with %%writefile work.py) and import it from there"
        ) from error
    parts[name] = ""  # it may call itself
    for used in sorted(set(_names(tree, function.__code__))):
        if used in parts or used not in function.__globals__:
            continue
        parts[used] = ""
        _add_global(name, used, function.__globals__[used], parts)
    parts[name] = ""
    del parts[name]  # behind all that it uses
    parts[name] = source


def _names(tree: ast.AST, code: types.CodeType) -> Iterator[str]:
    """Global names that the code uses, those of its decorators and defaults too."""
    function = tree.body[0] if isinstance(tree, ast.Module) else tree
    if isinstance(function, (ast.AsyncFunctionDef, ast.FunctionDef)):
        outside = [
            *function.decorator_list,
            *function.args.defaults,
            *filter(None, function.args.kw_defaults),
        ]
        for expression in outside:
            for node in ast.walk(expression):
                if isinstance(node, ast.Name):
                    yield node.id
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(ast.Pass(), constant)


def _add_global(user: str, name: str, value: object, parts: dict[str, str]) -> None:
    if isinstance(value, types.ModuleType):
        parts[name] = f"import {value.__name__} as {name}"
        if "." in value.__name__:
            package, _, last = value.__name__.rpartition(".")
            parts[name] = f"from {package} import {last} as {name}"
        return
    if _is_plain(value):
        parts[name] = f"{name} = {value!r}"
        return
    module = getattr(value, "__module__", None)
    if module == "__main__" and isinstance(value, types.FunctionType):
        if value.__name__ == name:
            del parts[name]
            _add(value, parts)
            return
    elif module == "builtins" and getattr(builtins, name, None) is value:
        return
    elif isinstance(module, str) and module in sys.modules and module != "__main__":
        known = getattr(value, "__qualname__", "")
        if known.isidentifier() and _find(sys.modules[module], known) is value:
            parts[name] = f"from {module} import {known} as {name}"
            return
    raise UnsendableError(
        f"{user} uses {name}, a {type(value).__name__} of this notebook, which is not "
        "sent along: make it inside the function, pass it as args, or write both to a "
        "module and import them"
    )


def _is_plain(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_is_plain, value))
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return False
    return type(value) in _PLAIN


# ------------------------------------------------------------- the other side


def load(reference: dict[str, Any], *, is_async: bool = True) -> Callable[..., Any]:
    """Find the function that :func:`describe` described.

    Raises:
        Exception: whatever the import of it raises; TypeError if it is not a function
            of that kind.
    """
    name = str(reference["name"])
    if reference["kind"] == "source":
        space: dict[str, Any] = {"__name__": "looplab_notebook"}
        exec(compile(reference["source"], "<notebook>", "exec"), space)
        found: Any = space[name]
    elif reference["kind"] == "file":
        spec = importlib.util.spec_from_file_location("__mp_main__", reference["path"])
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["__mp_main__"] = module
        spec.loader.exec_module(module)
        found = _find(module, name)
    else:
        module = importlib.import_module(reference["module"])
        found = _find(module, name)
        if found is None:
            raise AttributeError(f"{module.__name__} has no {name}")
    if not callable(found) or inspect.iscoroutinefunction(found) is not is_async:
        kind = "coroutine function (async def)" if is_async else "plain function"
        raise TypeError(f"{name} is not a {kind}")
    return found  # type: ignore[no-any-return]
