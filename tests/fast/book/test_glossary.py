"""The glossary: in order, and as the tools measure."""

from __future__ import annotations

import asyncio
import re

from looplab.clock import burn
from looplab.trace import record
from tests.fast.notebooks.guards import BOOK, all_pages


def terms() -> list[str]:
    text = (BOOK / "glossary.md").read_text(encoding="utf-8")
    inside = text.split("```{glossary}\n")[1].split("\n```")[0]
    return re.findall(r"^(\S.*)$", inside, re.M)


def test_the_terms_are_in_alphabetical_order() -> None:
    listed = terms()
    assert len(listed) > 40
    assert listed == sorted(
        listed, key=lambda term: re.sub(r"[^\w ]", "", term).lower()
    )


def test_every_term_is_explained_once_and_used() -> None:
    listed = terms()
    assert len(listed) == len({term.lower() for term in listed})
    pages = " ".join(
        page.read_text(encoding="utf-8")
        for page in all_pages()
        if page.stem != "glossary"
    )
    words = " ".join(pages.split()).lower()
    unused = [t for t in listed if re.sub(r"[^\w' -]", "", t).lower() not in words]
    assert not unused, f"no page uses {unused}"


def test_a_task_is_later_than_the_callback_of_its_timer_by_an_iteration() -> None:
    """Beside a callback that has the thread for 10 ms in each iteration."""

    async def main() -> None:
        loop = asyncio.get_running_loop()

        def hog() -> None:
            burn(0.010)
            if loop.time() < 0.1:
                loop.call_soon(hog)

        loop.call_soon(hog)
        await asyncio.sleep(0.025)

    timer, task = (each for each in record(main()) if each.due_at == 0.025)
    assert (timer.task, timer.lateness) == (None, 0.015)
    assert (task.task, task.lateness) == ("Task-1", 0.025)
