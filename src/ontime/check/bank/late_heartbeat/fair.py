"""No customer waits for another's two hundred."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_function
from ontime.check.verdict import NotYet


@exercise("04-xfair", need_function, "Fair")
def check_fair(answer: Any) -> str:
    """The answer is a class ``Fair`` with ``put(customer, job)``, ``get()``, ``len()``.

    ``get()`` gives the customers turns, and each customer's jobs in order.
    """
    queue = answer()
    for n in range(5):
        queue.put("big", f"big {n}")
    queue.put("small", "small 0")
    if len(queue) != 6:
        raise NotYet(f"six jobs were put; len() says {len(queue)}.", "count all queues")
    got = [queue.get() for _ in range(4)]
    wanted = ["big 0", "small 0", "big 1", "big 2"]
    if got != wanted:
        raise NotYet(
            f"big had put five jobs and small one; they came as {got}, not {wanted}.",
            "a queue for each customer; a customer who has had a turn goes to the end",
        )
    queue.put("small", "small 1")
    queue.put("third", "third 0")
    queue.put("small", "small 2")
    got = [queue.get() for _ in range(5)]
    wanted = ["big 3", "small 1", "third 0", "big 4", "small 2"]
    if got != wanted:
        raise NotYet(
            "with big 3 and big 4 in the queue came small 1, third 0 and small 2; they "
            f"went as {got}, not {wanted}.",
            "a customer whose queue was empty joins at the end of the turns, once",
        )
    if len(queue):
        raise NotYet(f"all is taken; len() says {len(queue)}.", "forget empty queues")
    try:
        value = queue.get()
    except LookupError:
        pass
    else:
        raise NotYet(f"an empty queue gave {value!r}.", "raise a LookupError there")
    queue.put("big", "again")
    back = None
    with suppress(LookupError):
        back = queue.get()
    if back != "again":
        raise NotYet("an old customer came back in vain.", "make a new queue for it")
    return "a turn for each customer, and each one's jobs in order."
