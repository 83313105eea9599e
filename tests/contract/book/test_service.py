"""The shop of the book: each fault is there, and its fix is one."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from looplab import burn, elapsed, run
from tests.contract.looplab.idle.opened import wait_until

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


# ------------------------------------------------- chapter 2: the hash


@pytest.mark.parametrize("faults", [(), ("hash",)])
def test_who_hashes(faults: tuple[str, ...]) -> None:
    from service.desk import Desk

    hashed_by = []

    def hasher(password: str, rounds: int) -> str:
        hashed_by.append(threading.current_thread())
        return password.upper()

    async def main() -> str:
        async with Desk(settings(*faults), hasher=hasher) as desk:
            return str(await desk.login("secret"))

    assert asyncio.run(main()) == "SECRET"
    [thread] = hashed_by
    assert (thread is threading.main_thread()) is bool(faults)


# ------------------------------------------------- chapter 6: the audit log


@pytest.mark.parametrize("faults", [(), ("poll",)])
def test_no_line_is_lost(faults: tuple[str, ...]) -> None:
    from service.audit import Audit

    async def main(audit: Any) -> None:
        for number in range(50):
            await audit.write(f"line {number}")

    with Audit(settings(*faults)) as audit:
        asyncio.run(main(audit))
    assert audit.count == 50


# ------------------------------------------------- chapter 7: the leases


def work_off(tmp_path: Path, *faults: str) -> Any:
    """Orders on the virtual clock: sixty held, each of twenty pieces of 10 ms."""
    from service.orders import Workshop

    from ontime.bus import SQLiteBus

    async def main() -> Any:
        chosen = settings(*faults)
        async with SQLiteBus(tmp_path / "orders.db", lease=chosen.lease) as bus:
            shop = Workshop(chosen, bus, part=lambda rounds: burn(10 * MS))
            await bus.put(*(f"order {number}" for number in range(60)))
            working = asyncio.create_task(shop.run())
            while (await bus.counts()).total and elapsed() < 30:
                await asyncio.sleep(0.1)
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
        return shop

    return run(main())


@pytest.mark.parametrize("faults", [(), ("leases",)])
def test_orders_are_lost_where_leases_stand_behind_the_work(
    tmp_path: Path, faults: tuple[str, ...]
) -> None:
    shop = work_off(tmp_path, *faults)
    assert (shop.lost > 0) is (max(shop.deliveries.values()) > 1) is bool(faults)
    assert faults or shop.done == 60


# ------------------------------------------------- the service, served


def test_the_shop_answers_tells_who_watches_and_ends(service: Any) -> None:
    pytest.importorskip("websockets", reason="the service's websocket needs websockets")
    from websockets.sync.client import connect

    calm = {"open_timeout": None, "ping_interval": None}
    # Orders that are late by more than a lease would begin again.
    with service.measure.Service((), lease=600) as shop:
        address = f"ws://127.0.0.1:{shop.port}/watch"
        with connect(address, **calm) as socket, connect(address, **calm) as other:
            other.close()
            rates = {"basket": 10, "login": 3, "report": 2, "order": 10}
            answers = shop.send(rates, 1.0)
            assert len({socket.recv() for _ in range(10)}) == 10
        assert len(answers) == sum(rates.values())
        assert {answer.status for answer in answers} == {200, 202}
        assert all(answer.seconds > 0 for answer in answers)
        wait_until(lambda: bool(shop.figures()["done"] == 10))
        wait_until(lambda: bool(shop.figures()["audited"] == 3))
        assert shop.figures()["saved"] == 10
    assert shop._process.returncode == 0
