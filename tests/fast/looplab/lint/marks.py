"""Sources that say in comments what is found in them."""

from __future__ import annotations

import re
import textwrap

from looplab.lint import RULES, check_source

EVERY = tuple(RULES)


def marked(source: str) -> set[tuple[int, str]]:
    """The line and code of each comment that says what is reported there."""
    return {
        (number, code)
        for number, line in enumerate(source.splitlines(), 1)
        for code in re.findall(r"LAG\d+", line.partition("#")[2])
    }


def found(source: str, **options) -> set[tuple[int, str]]:
    options.setdefault("select", EVERY)
    return {(one.line, one.code) for one in check_source(source, **options)}


def same(found: set[tuple[int, str]], said: set[tuple[int, str]]) -> None:
    """Both are the same; says what is not."""
    assert found == said, (
        f"wrong: {sorted(found - said)}, missed: {sorted(said - found)}"
    )


def agrees(source: str) -> None:
    """The findings are those that the comments of the source say."""
    source = textwrap.dedent(source)
    same(found(source, noqa=False), marked(source))


def agrees_by_the_letter(source: str) -> None:
    """The same, where a channel without a bound is one, whatever limits it."""
    source = textwrap.dedent(source)
    letter = {(n, "LAG101" if code == "LAG102" else code) for n, code in found(source)}
    same(letter, marked(source))


def flagged(*lines: str) -> list[str]:
    """The codes found in a few lines below `import asyncio`."""
    source = "\n".join(["import asyncio", *lines])
    return [one.code for one in check_source(source, select=EVERY)]
