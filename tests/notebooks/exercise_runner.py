"""Run the exercises of a notebook as a reader would, in a process of their own.

Started by ``test_exercises.py`` with JSON on standard input: a list of exercises in
the order of the notebook, each with ``name``, ``setup`` (sources of the cells since
the exercise before), ``answers`` (sources by label) and ``check``. The last line of
standard output is JSON, for each exercise and each label::

    {"answer_error": "NameError: ..." or null,
     "check_error": "..." or null,
     "verdict": repr of the value of the last expression of the check, or null}

Every answer gets its own copy of the names that the setup made, so that one answer
cannot help another. A cell of the setup that fails is an error of the notebook: it
ends the process.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import sys
from contextlib import redirect_stdout
from types import CodeType
from typing import Any

FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def execute(code: CodeType, space: dict[str, Any]) -> Any:
    result = eval(code, space)
    if code.co_flags & inspect.CO_COROUTINE:

        async def wait() -> Any:
            return await result

        return asyncio.run(wait())
    return result


def run_cell(source: str, space: dict[str, Any]) -> Any:
    """Run a cell and return the value of its last expression, as a notebook does."""
    tree = compile(source, "<cell>", "exec", ast.PyCF_ONLY_AST | FLAGS)
    assert isinstance(tree, ast.Module)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        expression = tree.body.pop()
        assert isinstance(expression, ast.Expr)
        last = ast.Expression(expression.value)
    execute(compile(tree, "<cell>", "exec", FLAGS), space)
    if last is None:
        return None
    return execute(compile(last, "<cell>", "eval", FLAGS), space)


def attempt(sources: list[str], space: dict[str, Any]) -> tuple[Any, str | None]:
    value = None
    try:
        for source in sources:
            value = run_cell(source, space)
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
    return value, None


def main() -> None:
    exercises = json.load(sys.stdin)
    space: dict[str, Any] = {"__name__": "__main__"}
    results: dict[str, dict[str, Any]] = {}
    with redirect_stdout(sys.stderr):
        for exercise in exercises:
            for source in exercise["setup"]:
                run_cell(source, space)
            found = results[exercise["name"]] = {}
            for label, answer in exercise["answers"].items():
                own = dict(space)
                _, answer_error = attempt(answer, own)
                value, check_error = attempt(exercise["check"], own)
                found[label] = {
                    "answer_error": answer_error,
                    "check_error": check_error,
                    "verdict": None if value is None else repr(value),
                }
    print(json.dumps(results))


if __name__ == "__main__":
    main()
