"""Exercises in which shuffled lines are put in order."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType
from typing import Any

from ontime.check.verdict import NotYet

__all__ = ["compiled", "executed", "read_order"]


def read_order(answer: object, count: int, example: str) -> list[int]:
    """The answer to a Parsons exercise of *count* lines, once it is a list of them.

    *example* is a list as a reader would write it.  Raises :class:`NotYet`.
    """
    try:
        order: list[int] = list(answer)  # type: ignore[call-overload]
    except TypeError:
        raise NotYet(
            f"the answer is {answer!r}, not a list of line numbers.",
            f"for example {example}",
        ) from None
    if not order:
        raise NotYet("the list is empty.", "begin with the line that has no indent")
    for number in order:
        if isinstance(number, bool) or not isinstance(number, int):
            raise NotYet(f"{number!r} is not a line number.", "use whole numbers")
        if not 1 <= number <= count:
            raise NotYet(f"there is no line {number}.", f"the lines are 1 to {count}")
        if order.count(number) > 1:
            raise NotYet(f"line {number} is there twice.", "use each line once at most")
    return order


def compiled(
    program: str, order: list[int], lines: Sequence[str], above: int = 0
) -> CodeType:
    """The program that the answer to a Parsons exercise makes.

    Args:
        program: its text.
        order: the answer, see :func:`read_order`.
        lines: those of the exercise.
        above: how many lines the program has before them.

    Raises:
        NotYet: it is no program; the error names the line.
    """
    try:
        return compile(program, "<your order>", "exec")
    except SyntaxError as error:
        place = max((error.lineno or above + 1) - above, 1)
        line = lines[order[min(place, len(order)) - 1] - 1].strip()
        raise NotYet(
            f"'{line}' cannot stand at place {place}: {error.msg}.",
            "after a line that ends in a colon the next is indented by four more",
        ) from None


def executed(code: CodeType, namespace: dict[str, Any], name: str, begin: str) -> Any:
    """What *code* defines as *name*, or None.

    Raises:
        NotYet: a line uses a name that nothing has defined; the hint is *begin*.
    """
    try:
        exec(code, namespace)
    except NameError as error:
        raise NotYet(f"{error}.", begin) from None
    return namespace.get(name)
