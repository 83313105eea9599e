"""The extra exercises of chapter 5, *Bound every channel*.

============  ======================================================================
``05-xcrash``   an async function ``feed(source, handle)``
``05-xrelay``   an async function ``relay(source, queue, patience)``
``05-xend``     an async function ``work_off(items, handle, workers)``
``05-xshed``    a class ``Door(service, patience)``
``05-xdrain``   a class ``Outbox(send)``
============  ======================================================================
"""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import AsyncIterator, Iterator
from typing import Any

from looplab.clock import DeadlockError
from ontime.check.backpressure.flow import Flow, cause, watched_to_its_end
from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    counted_callbacks,
    finished,
    left_over,
    need_async_function,
    need_awaitable,
    need_class,
    now,
    simulate,
)
from ontime.check.verdict import NotYet

# 05-xcrash: a bounded queue, and a consumer that dies


@exercise("05-xcrash")
def check_crash(answer: Any) -> str:
    """The answer is an async function ``feed(source, handle)``.

    It hands the items of the async iterator *source*, in order, to the async function
    ``handle`` through a bounded queue, so that an item is handled while the next one is
    awaited, and returns when all are handled.  If ``handle`` raises, for whichever
    item, the error comes out at once and no task is left behind.
    """
    need_async_function(answer, "feed")
    most = 0
    for count, gap in (0, 0.0), (1, 0.0), (20, 0.0), (20, 1.0):
        most = max(most, simulate(_fed(answer, count, gap)))
    for bad in 0, 1, 7, 18, 19:
        for gap in 0.0, 10.0:
            simulate(_fed_to_a_failure(answer, bad, gap))
    return (
        f"20 items were handled, at most {most} under way; an error comes out at once, "
        "whichever item it is."
    )


async def _fed(answer: Any, count: int, gap: float) -> int:
    flow = Flow()

    async def handle(item: int) -> None:
        await asyncio.sleep(1)
        flow.delivered.append(item)

    _, left = await watched_to_its_end(answer, flow.arrivals(count, gap), handle)
    if flow.delivered != list(range(count)):
        raise NotYet(
            f"{count} items were given, and {len(flow.delivered)} had been handled, "
            "each once and in order, when feed() returned.",
            "await queue.join() waits until each has had its task_done()",
        )
    if left:
        raise NotYet(
            f"feed() returned and left {left} tasks behind.",
            "a consumer that waits in get() for ever has to be cancelled",
        )
    if flow.most_ahead > 4:
        raise NotYet(
            f"{flow.most_ahead} items were under way at once.",
            "a queue without a bound takes all that comes: keep maxsize=1",
        )
    if now() > count + 2:
        raise NotYet(
            f"{count} items that come one a second, and take a second each, needed "
            f"{now():g} s.",
            "handle an item while the next one is awaited: that is what the queue and "
            "the consumer's task are for",
        )
    return flow.most_ahead


async def _fed_to_a_failure(answer: Any, bad: int, gap: float) -> None:
    async def handle(item: int) -> None:
        await asyncio.sleep(1)
        if item == bad:
            raise OSError(f"item {item} cannot be stored")

    said = f"items come every {gap:g} s, handle() raised OSError for item {bad} of 20"
    try:
        await watched_to_its_end(answer, Flow().arrivals(20, gap), handle)
    except DeadlockError:
        raise NotYet(
            f"{said}, and feed() waits for ever.",
            "the consumer has died: who takes the next item out, and who would tell "
            "the producer?",
        ) from None
    except (OSError, BaseExceptionGroup) as error:
        if not isinstance(cause(error), OSError):
            raise
    else:
        raise NotYet(
            f"{said}, and feed() returned as if nothing had been.",
            "whoever awaits the consumer is told; a TaskGroup does that",
        )
    raised = (bad + 1) * max(gap, 1.0) + (1.0 if gap else 0.0)
    if now() > raised + 0.001:
        raise NotYet(
            f"{said} at {raised:g} s, and it came out at {now():g} s.",
            "do not go on feeding when nobody eats: the error has to stop the "
            "producer, wherever it waits",
        )
    for _ in range(3):
        await asyncio.sleep(0)
    if left_over():
        raise NotYet(f"{said}, and a task was left behind.", "let a TaskGroup own it")


# 05-xrelay: a put with a time-out


@exercise("05-xrelay")
def check_relay(answer: Any) -> str:
    """The answer is an async function ``relay(source, queue, patience)``.

    It puts each item of the async iterator *source* into the bounded *queue*.  An item
    for which there is no room within *patience* seconds is given up; the list of these
    is returned.  A source that is slow is waited for.
    """
    need_async_function(answer, "relay")
    given_up = 0
    for gap, service, patience in (
        (0.4, 1.0, 0.5),
        (3.0, 0.5, 1.0),
        (0.0, 1.0, 0.3),
        (0.3, 1.0, 60.0),
    ):
        given_up += simulate(_relayed(answer, gap, service, patience))
    ran = simulate(_relay_at_rest(answer))
    if ran > 12:
        raise NotYet(
            f"while the queue was full for 8 s, the loop ran {ran:,} callbacks.",
            "to look again and again is polling: put() waits, and a time-out ends it",
        )
    return (
        f"in four runs each item came through or was given up, {given_up} of them, "
        "after its patience and not before."
    )


async def _arrivals(count: int, gap: float, came: list[float]) -> AsyncIterator[int]:
    for number in range(count):
        await asyncio.sleep(gap)
        came.append(now())
        yield number


def _expected_relay(
    count: int, gap: float, service: float, patience: float
) -> tuple[list[int], list[int]]:
    """What a queue of size 1 takes and what is given up: arithmetic, no loop."""
    taken: list[int] = []
    lost: list[int] = []
    at = 0.0  # when the source is asked again
    free = 0.0  # when the consumer takes what is in the queue
    full_until = 0.0  # when there is room
    for number in range(count):
        at += gap
        if full_until > at + patience:
            lost.append(number)
            at += patience
            continue
        at = max(at, full_until)
        taken.append(number)
        begins = max(at, free)
        full_until, free = begins, begins + service
    return taken, lost


async def _relayed(answer: Any, gap: float, service: float, patience: float) -> int:
    queue: asyncio.Queue[int] = asyncio.Queue(1)
    taken: list[int] = []
    came: list[float] = []

    async def consume() -> None:
        while True:
            taken.append(await queue.get())
            await asyncio.sleep(service)

    serving = asyncio.create_task(consume(), name="heartbeat: not the answer's")
    returned, left = await watched_to_its_end(
        answer, _arrivals(10, gap, came), queue, patience
    )
    await asyncio.sleep(20)
    serving.cancel()
    where = (
        f"an item after {gap:g} s each, a service of {service:g} s, a patience of "
        f"{patience:g} s"
    )
    if len(came) < 10:
        raise NotYet(
            f"{where}: only {len(came)} of 10 items were asked of the source.",
            "a time-out around anext(source) cancels the source itself: let it stand "
            "around put() alone",
        )
    if not isinstance(returned, list):
        raise NotYet(f"relay() returned {returned!r}.", "return the list of given up")
    wanted, lost = _expected_relay(10, gap, service, patience)
    if sorted(taken + returned) != list(range(10)):
        both = sorted(set(taken) & set(returned))
        neither = sorted(set(range(10)) - set(taken) - set(returned))
        said = f"{both} came through and were given up too" if both else ""
        said = said or f"{neither} neither came through nor were given up"
        said = said if both or neither else "an item is there twice"
        raise NotYet(
            f"{where}: {said}.",
            "a put() that is cancelled has not put: the item is still yours",
        )
    if (taken, returned) != (wanted, lost):
        raise NotYet(
            f"{where}: {returned} were given up, and it should have been {lost}.",
            "an item is given up after its patience: not at once, and never because "
            "the source was slow",
        )
    if left:
        raise NotYet(f"relay() left {left} tasks behind.", "it needs no task")
    return len(returned)


async def _relay_at_rest(answer: Any) -> int:
    """Callbacks while the queue is full and the patience is long."""
    queue: asyncio.Queue[int] = asyncio.Queue(1)
    queue.put_nowait(-1)
    work = asyncio.ensure_future(answer(_arrivals(1, 0.0, []), queue, 10.0))
    await asyncio.sleep(1)
    with counted_callbacks() as callbacks:
        await asyncio.sleep(8)
    queue.get_nowait()
    await finished(work)
    return callbacks.count


# 05-xend: the end, for several workers

_OWN_END = (
    "only an object of its own, compared with 'is', can mean the end, and an empty "
    "queue never does: more may come"
)


@exercise("05-xend")
def check_end(answer: Any) -> str:
    """The answer is an async function ``work_off(items, handle, workers)``.

    So many workers take the items from one bounded queue and await ``handle(item)``.
    It returns when all items are handled and all workers have ended.  None and 0 are
    items like any other, and an error of ``handle`` comes out.
    """
    need_async_function(answer, "work_off")
    for workers in 1, 2, 3, 5:
        for count in 4, 0, 1, 23:
            simulate(_worked_off(answer, count, workers))
    simulate(_worked_off_to_a_failure(answer))
    return "1 to 5 workers handled every item once, and all of them ended."


async def _worked_off(answer: Any, count: int, workers: int) -> None:
    given: list[Any] = [None, 0, "", False, *range(1, count)][:count]
    handled: list[Any] = []
    begun = at_once = most = 0
    ahead = 0

    def items() -> Iterator[Any]:
        nonlocal ahead
        for number, item in enumerate(given, 1):
            ahead = max(ahead, number - len(handled))
            yield item

    async def handle(item: Any) -> None:
        nonlocal begun, at_once, most
        begun, at_once = begun + 1, at_once + 1
        most = max(most, at_once)
        # The later ones are shorter, so workers come to the end at different times.
        await asyncio.sleep(1 + 1 / begun)
        at_once -= 1
        handled.append(item)

    where = f"{count} items and {workers} worker{'s' if workers > 1 else ''}"
    try:
        _, left = await watched_to_its_end(answer, items(), handle, workers)
    except DeadlockError:
        said = (
            f"{where}: {len(handled)} items were handled, and then it waits for ever."
        )
        if workers == 1:
            raise NotYet(said, _OWN_END) from None
        raise NotYet(
            said,
            "one end is taken by one worker: the others go on waiting. Put one for "
            "each, or let each worker put it back",
        ) from None
    if sorted(map(repr, handled)) != sorted(map(repr, given)):
        raise NotYet(
            f"{where}: {len(handled)} items had been handled when work_off() returned.",
            _OWN_END,
        )
    if left:
        raise NotYet(
            f"{where}: work_off() left {left} tasks behind.", "each worker has to end"
        )
    if most < min(workers, count):
        raise NotYet(
            f"{where}: at most {most} items were handled at the same time.",
            "start all the workers before the first item is put",
        )
    if most > workers:
        raise NotYet(
            f"{where}: {most} items were handled at the same time.",
            "a worker handles one item at a time: await handle(item)",
        )
    if ahead > 2 * workers + 3:
        raise NotYet(
            f"{where}: {ahead} items were under way at once.",
            "keep the bound of the queue",
        )


async def _worked_off_to_a_failure(answer: Any) -> None:
    async def handle(item: int) -> None:
        await asyncio.sleep(1)
        if item == 5:
            raise OSError("item 5 cannot be stored")

    try:
        await watched_to_its_end(answer, iter(range(30)), handle, 3)
    except DeadlockError:
        raise NotYet(
            "handle() raised OSError for one item, and work_off() waits for ever.",
            "let a TaskGroup own the workers",
        ) from None
    except (OSError, BaseExceptionGroup) as error:
        if not isinstance(cause(error), OSError):
            raise
    else:
        raise NotYet(
            "handle() raised OSError for one item, and work_off() returned as if "
            "nothing had been.",
            "let a TaskGroup own the workers",
        )


# 05-xshed: refuse in time, and say when to come again


@exercise("05-xshed")
def check_shed(answer: Any) -> str:
    """The answer is a class ``Door(service, patience)``.

    ``await door.handle(work)`` does one ``await work()`` at a time, first come, first
    served, and returns ``(200, result)``.  Whoever could not be answered within
    *patience* is refused at once with ``(503, seconds)``: what is inside now needs so
    many whole seconds.
    """
    need_class(answer, "Door")
    refused = 0
    for service, patience, times in (
        (1.0, 4.5, [0.0] * 10),
        (1.0, 4.0, [0.0] * 4 + [2.5] * 4),
        (0.75, 2.5, [0.0] * 6 + [0.375, 5.0]),
        (2.0, 5.0, [0.0, 0.0, 0.0, 3.0, 3.0]),
        (3.0, 2.0, [0.0, 1.0]),
    ):
        refused += simulate(_at_the_door(answer, service, patience, times))
    simulate(_door_after_trouble(answer))
    return f"{refused} were refused at once, all others were answered in time."


async def _at_the_door(
    answer: Any, service: float, patience: float, times: list[float]
) -> int:
    door = answer(service, patience)
    found: list[tuple[Any, float]] = []
    inside: list[float] = []  # when those who are served will have been
    at_work = most = 0

    async def work() -> str:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(service)
        at_work -= 1
        return "done"

    async def come(number: int, at: float) -> tuple[Any, float]:
        await asyncio.sleep(at)
        said = door.handle(work)
        need_awaitable(said, "handle")
        said = await said
        return said, now()

    async def all_come() -> list[tuple[Any, float]]:
        return await asyncio.gather(*(come(n, at) for n, at in enumerate(times)))

    found = await finished(all_come())
    places = math.floor(patience / service)
    for number, ((said, when), at) in enumerate(zip(found, times, strict=True)):
        inside = [end for end in inside if end > at]
        where = (
            f"service {service:g} s, patience {patience:g} s: request {number + 1}, at "
            f"{at:g} s with {len(inside)} inside,"
        )
        if not (isinstance(said, tuple) and len(said) == 2):
            raise NotYet(f"{where} got {said!r}.", "(200, result) or (503, seconds)")
        if len(inside) >= places:
            again = max(1, math.ceil(len(inside) * service))
            if said[0] != 503:
                raise NotYet(
                    f"{where} was let in and answered after {when - at:g} s.",
                    "count who is inside; at patience / service it is full",
                )
            if when > at:
                raise NotYet(
                    f"{where} was refused after {when - at:g} s.",
                    "a refusal costs nothing when it comes at once: decide before you "
                    "wait",
                )
            if said[1] != again or isinstance(said[1], float):
                raise NotYet(
                    f"{where} was told to come again after {said[1]!r} s, and it "
                    f"should be {again}.",
                    "those who are inside, times the service, rounded up to a whole "
                    "number: math.ceil gives one. At least 1",
                )
            continue
        inside.append(max([at, *inside]) + service)
        if said != (200, "done"):
            raise NotYet(
                f"{where} got {said!r} and could have been answered in time.",
                "whoever has left no longer counts as inside",
            )
        if abs(when - inside[-1]) > 1e-9:
            raise NotYet(
                f"{where} was answered at {when:g} s, not at {inside[-1]:g} s.",
                "one at a time, first come, first served: an asyncio.Lock does that",
            )
    if most > 1:
        raise NotYet(f"{most} worked at the same time.", "an asyncio.Lock admits one")
    return sum(said[0] == 503 for said, _ in found)


async def _door_after_trouble(answer: Any) -> None:
    """A work that fails and a user who leaves both give their places back."""
    door = answer(1.0, 3.0)

    async def work() -> str:
        await asyncio.sleep(1)
        return "done"

    async def fails() -> str:
        await asyncio.sleep(1)
        raise OSError("the database is away")

    tasks = [asyncio.ensure_future(door.handle(each)) for each in (fails, work, work)]
    await asyncio.sleep(0.5)
    tasks[2].cancel()
    await asyncio.wait(tasks, timeout=60)
    if not all(task.done() for task in tasks):
        raise NotYet(
            "a work failed and a user left, and others wait for ever.",
            "'async with' gives the lock back whatever happens",
        )
    if not isinstance(tasks[0].exception(), OSError):
        raise NotYet("work() raised OSError, and it did not come out.", "let it pass")
    for task in tasks[1:]:
        task.cancelled() or task.exception()
    again = [asyncio.ensure_future(door.handle(work)) for _ in range(3)]
    await asyncio.wait(again, timeout=60)
    said = [task.result()[0] for task in again if task.done()]
    if said != [200] * 3:
        raise NotYet(
            f"a work had failed and a user had left; of three later ones {said} came "
            "back.",
            "give the place back in a finally, whatever happens",
        )


# 05-xdrain: stop in order, and lose nothing


@exercise("05-xdrain")
def check_drain(answer: Any) -> str:
    """The answer is a class ``Outbox(send)``, made on the loop.

    ``accept(message)`` takes a message, up to 10; one worker awaits ``send(message)``
    for each, in order.  ``await stop(grace)`` takes nothing new, goes on for up to
    *grace* seconds, and returns at once when all is sent.  It returns what was not
    sent, in order, the one that was under way first.
    """
    need_class(answer, "Outbox")
    for grace, before in (
        (2.5, 0.0),
        (0.0, 0.0),
        (0.0, 1.5),
        (10.0, 0.0),
        (3.25, 2.5),
        (1.0, 9.0),
    ):
        simulate(_drained(answer, grace, before))
    return "nothing is lost, nothing is sent twice, and the rest comes back in order."


async def _drained(answer: Any, grace: float, before: float) -> None:
    begun: list[str] = []
    sent: list[str] = []

    async def send(message: str) -> None:
        begun.append(message)
        await asyncio.sleep(1)
        sent.append(message)

    box = answer(send)
    for message in "abcdef":
        said = box.accept(message)
        if inspect.iscoroutine(said):
            said.close()
            raise NotYet("accept() is an async function.", "make it a plain one")
    await asyncio.sleep(before)
    stopping = box.stop(grace)
    need_awaitable(stopping, "stop")
    began, task = now(), asyncio.ensure_future(stopping)
    await asyncio.sleep(0)
    where = f"stop({grace:g}) after {before:g} s"
    _refuses_new(box, where)
    left = await finished(task)
    took = now() - began
    if not isinstance(left, list):
        raise NotYet(f"{where}: it returned {left!r}.", "return the list of the rest")
    wanted = sent + left
    if wanted != list("abcdef"):
        lost = [one for one in "abcdef" if one not in wanted]
        if lost:
            raise NotYet(
                f"{where}: {', '.join(lost)} was neither sent nor given back.",
                "the message that is under way is in no queue: remember it until it "
                "is sent",
            )
        raise NotYet(
            f"{where}: sent {''.join(sent) or 'nothing'}, given back {''.join(left)}.",
            "give the rest back in order, the one that was under way first, and none "
            "that was sent",
        )
    wants = min(grace, max(0.0, 6 - before))
    if took > wants + 1e-6:
        raise NotYet(
            f"{where}: it took {took:g} s, and {wants:g} s would have done.",
            "wait for the queue, and not for the whole grace: timeout around join()",
        )
    if len(sent) < min(6, math.floor(before + grace)):
        raise NotYet(
            f"{where}: only {len(sent)} messages were sent in the grace.",
            "the worker goes on until the grace is over",
        )
    await asyncio.sleep(5)
    if len(sent) + len(left) > 6 or await abandoned():
        raise NotYet(
            f"{where}: the worker went on after stop() had returned.",
            "cancel it, and await it, before you say what is left",
        )


def _refuses_new(box: Any, where: str) -> None:
    try:
        box.accept("late")
    except RuntimeError:
        return
    raise NotYet(
        f"{where}: accept() took a message while stopping.",
        "raise RuntimeError once stop() has begun",
    )
