"""LAG100: a channel without a bound, whatever limits it."""

from __future__ import annotations

from collections.abc import Iterator

from ..file import File
from ..findings import Report, Rule, shorten

RULE = Rule("LAG100", "channel without a bound", default=False)


def check(file: File) -> Iterator[Report]:
    """All that make one."""
    for made in file.channels.made:
        words = shorten(
            f"{{name}} has no bound: pass {made.bound}, or say what limits it and who "
            "must notice when it is full",
            made.name, made.name.rsplit(".", 1)[-1], "it",
        )  # fmt: skip
        yield Report(made.node, words)
