"""No customer waits for another's two hundred."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_function
from ontime.check.verdict import NotYet


@exercise("04-xfair")
def check_fair(answer: Any) -> str:
    """The answer is a class ``Fair`` with ``put(customer, job)``, ``get()``, ``len()``.

    ``get()`` gives the customers turns, and each customer's jobs in order.
    """
    need_function(answer, "Fair")
    line = answer()
    for n in range(5):
        line.put("big", f"big {n}")
    line.put("small", "small 0")
    if len(line) != 6:
        raise NotYet(f"six jobs were put; len() says {len(line)}.", "count all lines")
    got = [line.get() for _ in range(4)]
    wanted = ["big 0", "small 0", "big 1", "big 2"]
    if got != wanted:
        raise NotYet(
            f"big had put five jobs and small one; they came as {got}, not {wanted}.",
            "a line for each customer; who had a turn goes to the end of the customers",
        )
    line.put("small", "small 1")
    line.put("third", "third 0")
    line.put("small", "small 2")
    got = [line.get() for _ in range(5)]
    wanted = ["big 3", "small 1", "third 0", "big 4", "small 2"]
    if got != wanted:
        raise NotYet(
            "with big 3 and big 4 in the queue came small 1, third 0 and small 2; they "
            f"went as {got}, not {wanted}.",
            "a customer whose line was empty joins at the end of the turns, once",
        )
    if len(line):
        raise NotYet(f"all is taken; len() says {len(line)}.", "forget empty lines")
    try:
        value = line.get()
    except LookupError:
        pass
    else:
        raise NotYet(f"an empty queue gave {value!r}.", "raise a LookupError there")
    line.put("big", "again")
    back = None
    with suppress(LookupError):
        back = line.get()
    if back != "again":
        raise NotYet("an old customer came back in vain.", "make a new line for it")
    return "a turn for each customer, and each one's jobs in order."
