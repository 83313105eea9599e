"""Programs of one function of a library."""

from __future__ import annotations

import ast
import asyncio
import logging
import sys
import textwrap
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sizes import ITEMS, PAUSE


async def crawlee_merge() -> int:
    """Two generators are merged; who stops early is not kept waiting."""
    merge = function_of("crawlee", "_utils/sitemap.py", "_merge_async_generators")
    made = 0

    async def numbers(start: int) -> AsyncIterator[int]:
        nonlocal made
        for number in range(start, start + ITEMS):
            made += 1
            yield number

    got, most = [], 0
    async for number in merge(numbers(0), numbers(1000)):
        got.append(number)
        most = max(most, made - len(got))
        await asyncio.sleep(0)
    assert sorted(got) == [*range(ITEMS), *range(1000, 1000 + ITEMS)]
    early = merge(numbers(0), numbers(1000))
    await early.__anext__()
    await early.aclose()

    async def fails() -> AsyncIterator[int]:
        yield 1
        raise OSError

    assert [x async for x in merge(fails(), fails())] == [1, 1]
    return most


async def langchain_gather() -> int:
    """All results in order, no more at once than asked for."""
    source = ("langchain_core", "runnables/utils.py")
    gated = function_of(*source, "gated_coro")
    gather = function_of(*source, "gather_with_concurrency", gated_coro=gated)
    now = most_now = most = 0

    async def work(number: int) -> int:
        nonlocal now, most_now, most
        now += 1
        most_now = max(most_now, now)
        most = max(most, len(asyncio.all_tasks()))
        await asyncio.sleep(PAUSE)
        now -= 1
        return number * number

    results = await gather(5, *(work(number) for number in range(ITEMS)))
    assert results == [number * number for number in range(ITEMS)]
    assert most_now == 5
    assert await gather(None, work(2), work(3)) == [4, 9]
    try:
        await gather(2, fails(), work(1))
    except OSError:
        pass
    else:
        raise AssertionError("an error is lost")
    return most


async def fails() -> None:
    """A coroutine that fails."""
    raise OSError


def function_of(package: str, file: str, name: str, **names: Any) -> Any:
    """One function of a file whose other imports are not at hand."""
    for folder in sys.path:
        path = Path(folder, package, file)
        if path.is_file():
            break
    else:
        spec = find_spec(package)
        raise FileNotFoundError(f"{package}/{file}: {spec}")
    text = path.read_text(encoding="utf-8")
    (node,) = [
        one for one in ast.parse(text).body if getattr(one, "name", None) == name
    ]
    source = "from __future__ import annotations\n"
    source += textwrap.dedent(ast.get_source_segment(text, node) or "")
    space: dict[str, Any] = {"asyncio": asyncio, "logger": logging.getLogger("x")}
    space |= {"Any": Any, **names}
    logging.disable()
    exec(compile(source, str(path), "exec"), space)
    return space[name]
