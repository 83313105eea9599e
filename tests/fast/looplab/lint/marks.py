"""Sources that say in comments what is found in them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

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


def cases() -> dict[str, tuple[str, str]]:
    """The cases of the folder beside this file: their code and source, by title."""
    sources = {}
    for path in sorted(CASES.glob("*.txt")):
        parts = re.split(r"^=== (.*)\n", path.read_text("utf-8"), flags=re.MULTILINE)
        for title, source in zip(parts[1::2], parts[2::2], strict=True):
            sources[f"{path.stem}: {title}"] = path.stem.upper(), source
    return sources


class Advice(NamedTuple):
    """A program, and the same with the advice of a section followed."""

    title: str
    section: str
    before: str
    after: str


def advice() -> list[Advice]:
    """The programs of `advice.txt`, with what takes which place below `---`."""
    text = CASES.with_name("advice.txt").read_text("utf-8")
    parts = re.split(r"^=== (.*): (.*)\n", text, flags=re.MULTILINE)[1:]
    programs = []
    for title, section, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        before, _, changes = body.partition("---\n")
        after = before
        for old, new in re.findall(r"((?:^- .*\n)+)((?:^\+ .*\n)+)", changes, re.M):
            old, new = (re.sub(r"^[-+] ", "", part, flags=re.M) for part in (old, new))
            assert after.count(old) == 1, old
            after = after.replace(old, new)
        programs.append(Advice(title, section, before, after))
    return programs
