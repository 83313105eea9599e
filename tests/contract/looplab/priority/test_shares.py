"""Fair shares within a level, and what each level waits and uses."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from looplab.metrics import to_prometheus
from looplab.priority import (
    PriorityEventLoop,
    VirtualPriorityLoop,
    priority,
    share,
)
from looplab.priority.context import context_with
from tests.fast.looplab.priority.priority_loops import on
from tests.fast.looplab.priority.test_shares import some_work


@pytest.mark.parametrize("loop", [VirtualPriorityLoop, PriorityEventLoop])
def test_no_callback_is_lost_where_shares_come_into_use(loop: Any) -> None:
    async def main() -> int:
        here = asyncio.get_running_loop()
        ran: list[int] = []
        for number in range(50):
            here.call_soon(ran.append, number, context=context_with(1))
        with priority(1), share("a"):
            for number in range(50, 100):
                here.call_soon(ran.append, number)
        for number in range(100, 150):
            here.call_soon(ran.append, number, context=context_with(1))
        while len(ran) < 150:
            await asyncio.sleep(0.001)
        assert sorted(ran) == list(range(150))
        return len(set(ran))

    assert on(main, loop=loop) == 150


# ---------------------------------------------------------------- metrics


def test_the_loop_of_real_programs_keeps_them() -> None:
    async def main() -> Any:
        here: Any = asyncio.get_running_loop()
        await some_work()
        here.call_soon_threadsafe(int)
        await asyncio.to_thread(int)
        return here.metrics(), here.metric_source()

    metrics, source = on(
        main, loop=lambda policy: PriorityEventLoop(policy=policy, metrics=True)
    )
    assert metrics[1].busy >= 0.1
    assert metrics[1].lateness.count == 10
    assert metrics["plumbing"].lateness.count >= 2
    assert 0 < sum(one.share for one in metrics.values()) <= 1.001
    assert [metric.name for metric in source] == [
        "looplab_ready_callbacks",
        "looplab_lateness_seconds",
        "looplab_busy_seconds",
    ]


def test_prometheus_reads_them() -> None:
    client = pytest.importorskip("prometheus_client")

    async def main() -> str:
        here: Any = asyncio.get_running_loop()
        registry = client.CollectorRegistry()
        to_prometheus(here.metric_source, registry)
        await some_work()
        return str(client.generate_latest(registry).decode())

    text = on(main, loop=lambda policy: PriorityEventLoop(policy=policy, metrics=True))
    assert 'looplab_lateness_seconds_bucket{le="+Inf",level="1"} 10.0' in text


def test_a_loop_that_keeps_none_says_so() -> None:
    for loop in (PriorityEventLoop(), VirtualPriorityLoop()):
        with pytest.raises(RuntimeError, match="metrics=True"):
            loop.metrics()
        loop.close()
