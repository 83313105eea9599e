"""The shop of the book: each fault is there, and its fix is one."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from looplab import DeadlockError, Heartbeat, burn, run
from looplab.clock import StepLimitError

EXAMPLES = Path(__file__).resolve().parents[3] / "book" / "examples"
pytestmark = pytest.mark.skipif(
    not EXAMPLES.is_dir()
    or any(importlib.util.find_spec(p) is None for p in ("uvicorn", "starlette")),
    reason="the book, uvicorn or starlette is not here",
)
MS = 0.001


@pytest.fixture(autouse=True)
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import service.measure  # type: ignore[import-not-found]
    import service.orders

    yield service
    for name in [name for name in sys.modules if name.split(".")[0] == "service"]:
        sys.modules.pop(name)


def settings(*faults: str, **others: Any) -> Any:
    from service.settings import Settings

    return Settings(faults=frozenset(faults), **others)


# ------------------------------------------------- settings


def test_the_command_line_switches_faults() -> None:
    from service.__main__ import parse, settings_of
    from service.settings import FAULTS

    assert settings_of(parse([])).faults == set(FAULTS)
    assert settings_of(parse(["--fix", "storm"])).faults == set(FAULTS) - {"storm"}
    assert settings_of(parse(["--fault", "storm"])).faults == {"storm"}
    assert settings_of(parse(["--fault"])).faults == set()
    with pytest.raises(ValueError, match="no fault 'strom'; there are hash, gather"):
        settings("strom")


# ------------------------------------------------- chapter 6: the audit log


def test_a_log_that_polls_turns_for_ever_and_one_that_waits_does_not() -> None:
    from service.audit import Audit

    with pytest.raises(StepLimitError):
        run(Audit(settings("poll"))._keep(), max_steps=1_000)
    with pytest.raises(DeadlockError):
        run(Audit(settings())._keep(), max_steps=10)


# ------------------------------------------------- chapter 3: the price


@pytest.mark.parametrize(("faults", "tasks"), [((), 0), (("gather",), 20)])
def test_how_many_tasks_a_price_takes(faults: tuple[str, ...], tasks: int) -> None:
    from service.desk import Desk

    made = []

    def factory(loop: Any, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
        made.append(coroutine)
        return asyncio.Task(coroutine, loop=loop, **options)

    async def main() -> float:
        desk = Desk(settings(*faults))
        loop = asyncio.get_running_loop()
        loop.set_task_factory(factory)
        price = await desk.price(20)
        loop.set_task_factory(None)
        return float(price)

    assert run(main()) == sum((number % 7 + 1) * 12.5 for number in range(20))
    assert len(made) == tasks


# ------------------------------------------------- chapter 4: the report


@pytest.mark.parametrize(("faults", "worst"), [((), 10 * MS), (("storm",), 600 * MS)])
def test_how_late_a_report_makes_the_loop(
    faults: tuple[str, ...], worst: float
) -> None:
    from service.desk import Desk

    async def main() -> float:
        chosen = settings(*faults, report_parts=60)
        desk = Desk(chosen, part=lambda rounds: burn(10 * MS))
        async with desk, Heartbeat(7 * MS) as heart:
            await asyncio.sleep(20 * MS)
            assert await desk.report() == 60
            await asyncio.sleep(20 * MS)
        return heart.worst

    late = run(main())
    assert late <= worst
    assert late > worst / 3


# ------------------------------------------------- chapter 5: the inbox


class SlowBus:
    """Saves an order in a second of the virtual clock."""

    async def put(self, *orders: str) -> list[str]:
        await asyncio.sleep(1)
        return list(orders)


@pytest.mark.parametrize(("faults", "most"), [((), 20), (("unbounded",), 500)])
def test_how_many_orders_wait(faults: tuple[str, ...], most: int) -> None:
    from service.orders import FullError, Inbox

    async def main() -> Any:
        inbox = Inbox(settings(*faults), SlowBus())
        refused = 0
        for number in range(500):
            try:
                inbox.accept(str(number))
            except FullError as error:
                assert str(error) == "20 orders wait already"
                refused += 1
        saving = asyncio.create_task(inbox.save())
        await asyncio.sleep(most + 0.5)
        assert (inbox.saved, refused) == (most, 500 - most)
        saving.cancel()
        return inbox.most_waiting

    assert run(main()) == most


# ------------------------------------------------- the service, served


def test_the_schedule_does_not_wait_for_answers() -> None:
    from service.load import schedule

    plan = schedule({"basket": 4, "login": 1}, 2)
    assert [kind for _, kind in plan].count("login") == 2
    assert len({due for due, _ in plan}) == len(plan) == 10
    assert plan == sorted(plan)
    for rates, says in (({"baskets": 1}, "kind 'baskets'"), ({"basket": 0}, "is 0")):
        with pytest.raises(ValueError, match=says):
            schedule(rates, 1)


def test_the_client_gives_no_percentile_beyond_its_sample():
    from service.load import Answer, summary

    answers = [Answer("GET /x", 0.0, n / 1000, 200) for n in range(1, 100)]
    (line,) = summary([*answers, Answer("GET /x", 0.0, 9.0, 0)])
    assert "p50 50.0 ms" in line
    assert "p90 90.0 ms" in line
    assert "p99 -" in line
    assert "1 without" in line
    (line,) = summary([*answers, Answer("GET /x", 0.0, 0.1, 200)])
    assert "p99 99.0 ms" in line
