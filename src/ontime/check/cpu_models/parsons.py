"""``02-parsons``: CPU work in other processes, out of shuffled lines."""

from __future__ import annotations

from typing import Any

from ontime.check.parsons import Shuffled, read_order
from ontime.check.registry import exercise
from ontime.check.verdict import NotYet

__all__ = ["PARSONS_LINES", "parsons_program"]

#: The shuffled lines.  An answer names them by position, from 1.  Three are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "    return await asyncio.gather(*futures)",
    "    loop = asyncio.get_running_loop()",
    "        loop.run_in_executor(pool, product(n))",
    "async def products(pool, numbers):",
    "    return [future.result() for future in futures]",
    "    futures = [",
    "        loop.run_in_executor(pool, product, n)",
    "    with ProcessPoolExecutor(2) as pool:",
    "        for n in numbers]",
)
_CALLED, _BLOCKING, _OWN_POOL = 3, 5, 8
_ORDER = [4, 2, 6, 7, 9, 1]


_SHUFFLED = Shuffled(PARSONS_LINES)
parsons_program = _SHUFFLED.program


@exercise("02-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of positions in :data:`PARSONS_LINES`, from 1.

    Six of the nine lines, in this order, make a function that computes products in the
    processes of a pool that it is given, and leaves the loop free.
    """
    order = read_order(answer, len(PARSONS_LINES), "[4, 2, 6]")
    if order[0] != 4:
        raise NotYet(
            f"line {order[0]} cannot come first.", "begin with the line of the def"
        )
    if _CALLED in order:
        raise NotYet(
            f"line {_CALLED} computes the product here, on the loop, and then asks the "
            "pool to call a number.",
            "hand over the function and its argument, without calling it",
        )
    if _BLOCKING in order:
        raise NotYet(
            f"line {_BLOCKING} asks for results that are not there yet.",
            "the futures of a loop are awaited",
        )
    if _OWN_POOL in order:
        raise NotYet(
            f"line {_OWN_POOL} starts processes in each call, and its end waits for "
            "them while it holds the loop, also when the call is cancelled.",
            "the pool is a parameter: it belongs to the caller",
        )
    if (missing := len(_ORDER) - len(order)) > 0:
        raise NotYet(
            "1 line is missing." if missing == 1 else f"{missing} lines are missing.",
            "six of the nine are used",
        )
    try:
        compile(parsons_program(order), "<answer>", "exec")
    except SyntaxError as error:
        raise NotYet(
            f"the program has a syntax error in its line {error.lineno}.",
            "look at the indents, and at what stands between the brackets",
        ) from None
    if order != _ORDER:
        raise NotYet(
            "a name is used before it has a value.",
            "the loop, the futures, the results",
        )
    return "the function is handed over and awaited, and the pool outlives the call."
