"""Threads, debug mode, exceptions, memory, and the rest of the stock loop's face."""

from __future__ import annotations

import asyncio
import sys
import threading

import pytest

from looplab.clock import (
    VirtualTimeLoop,
    run,
)

# Threads


# Debug mode


def test_debug_mode_refuses_another_thread(loop: VirtualTimeLoop) -> None:
    loop.set_debug(True)
    errors: list[BaseException] = []

    def elsewhere() -> None:
        for call in (loop.call_soon, lambda f: loop.call_later(1, f)):
            try:
                call(int)
            except RuntimeError as exc:
                errors.append(exc)

    def main() -> None:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        loop.stop()

    loop.call_soon(main)
    loop.run_forever()
    assert len(errors) == 2
    assert all("Non-thread-safe operation" in str(error) for error in errors)


# Exceptions out of callbacks


# The rest of the stock loop's face


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with 3.12")
def test_eager_task_factory() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_task_factory(asyncio.eager_task_factory)  # type: ignore[attr-defined,unused-ignore]
        order: list[str] = []

        async def child(name: str) -> None:
            order.append(f"{name} begins")
            task = asyncio.current_task()
            assert task is not None
            assert task.get_name() == {"first": "Task-2", "second": "Task-3"}[name]
            await asyncio.sleep(1)
            order.append(f"{name} ends")

        async with asyncio.TaskGroup() as group:
            first = group.create_task(child("first"))
            order.append("made")
            group.create_task(child("second"))
        assert order == [
            "first begins",
            "made",
            "second begins",
            "first ends",
            "second ends",
        ]
        assert first.get_name() == "Task-2"
        assert hash(first) < 100  # a number, not an address

    run(main())


# Memory
