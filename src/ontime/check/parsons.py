"""Exercises in which shuffled lines are put in order."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType

from ontime.check.verdict import NotYet

__all__ = ["Shuffled", "read_order"]


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
            raise NotYet(f"line {number} is used twice.", "use each line once at most")
    return order


class Shuffled:
    """The lines of a Parsons exercise.

    Args:
        lines: in the order in which a reader sees them.
        head: the beginning of the program, which is given.
    """

    def __init__(self, lines: Sequence[str], head: str = "") -> None:
        self._lines = lines
        self._head = head

    def program(self, order: Sequence[int]) -> str:
        """The lines in the given order, as one program; the first one is 1."""
        return self._head + "\n".join(self._lines[number - 1] for number in order)

    def read(self, answer: object, example: str) -> tuple[list[int], CodeType]:
        """An answer as an order, and the program that it makes.

        *example* is as for :func:`read_order`.

        Raises:
            NotYet: it is no order, or no program; the error names the line.
        """
        order = read_order(answer, len(self._lines), example)
        try:
            return order, compile(self.program(order), "<your order>", "exec")
        except SyntaxError as error:
            above = self._head.count("\n")
            place = max((error.lineno or above + 1) - above, 1)
            line = self._lines[order[min(place, len(order)) - 1] - 1].strip()
            raise NotYet(
                f"'{line}' cannot stand at place {place}: {error.msg}.",
                "after a line that ends in a colon the next is indented by four more",
            ) from None
