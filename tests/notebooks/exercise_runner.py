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

import json
import sys
from contextlib import redirect_stdout
from typing import Any

from ontime.grade.cells import run_cell


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
