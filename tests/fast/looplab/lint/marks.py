"""Sources that say in comments what is found in them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from pathlib import Path

from looplab.lint import RULES, check_source
from looplab.lint.findings import LONGEST

#: All rules but the letter, which has a say wherever LAG101 has one.
EVERY = tuple(code for code in RULES if code != "LAG100")
CASES = Path(__file__).parent / "cases"
_MARK = re.compile(r"(LAG\d{3})(?::([^#]*))?")


def marked(source: str) -> dict[tuple[int, str], str]:
    """What comments say is reported: line and code, and words of the message."""
    return {
        (number, code): words.strip()
        for number, line in enumerate(source.splitlines(), 1)
        for code, words in _MARK.findall(line.partition("  # ")[2])
    }


def agrees(source: str, select: Iterable[str] = EVERY) -> None:
    """The findings are those that the comments of the source say."""
    source = textwrap.dedent(source)
    findings = check_source(source, select=select)
    messages = {(finding.line, finding.code): finding.message for finding in findings}
    expected = marked(source)
    wrong = {place: messages[place] for place in messages.keys() - expected.keys()}
    missed = expected.keys() - messages.keys()
    assert not wrong and not missed, f"wrong: {wrong}, missed: {sorted(missed)}"
    for place, words in expected.items():
        assert words in messages[place], messages[place]
    assert all(len(message) <= LONGEST for message in messages.values())


def flagged(*lines: str, select: Iterable[str] = EVERY) -> list[str]:
    """The codes found in a few lines below `import asyncio`."""
    source = "\n".join(["import asyncio", *lines])
    return [finding.code for finding in check_source(source, select=select)]


def cases() -> dict[str, str]:
    """The sources of the folder beside this file, by file and title."""
    sources = {}
    for path in sorted(CASES.glob("*.txt")):
        parts = re.split(r"^=== (.*)\n", path.read_text("utf-8"), flags=re.MULTILINE)
        for title, source in zip(parts[1::2], parts[2::2], strict=True):
            sources[f"{path.stem}: {title}"] = source
    return sources
