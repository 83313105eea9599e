"""Which tool counts the instructions of a clean interpreter."""

from __future__ import annotations

from collections.abc import Sequence

from ontime.measuring import counters

from .clean import environ, run

__all__ = ["find_counter"]


def find_counter(timeout: float) -> counters.Counter | None:
    """The first tool that counts here; each is tried for *timeout* seconds at most."""

    def behind(words: Sequence[str]) -> str | None:
        # "true" is no Python: the question is whether the tool counts at all.
        try:
            status, said = run([*words, "true"], environ(), timeout)
        except TimeoutError:
            return None
        return said if status == 0 else None

    return counters.first_that_counts(behind, counters.COUNTERS)
