"""What a check says of an answer."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NotYet", "Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found.  Prints as ``passed: ...`` or ``not yet: ... Hint: ...``."""

    passed: bool
    message: str
    hint: str = ""

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        text = f"{'passed' if self.passed else 'not yet'}: {self.message}"
        return f"{text} Hint: {self.hint}" if self.hint else text


class NotYet(Exception):  # noqa: N818 (the word that the reader sees)
    """Raised inside a check when the answer is not right yet."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
