"""A baseline: findings that are known, so that only new ones are reported.

A finding is known by its file, its rule and the text of its line, so it stays known
when lines above it come or go.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

from .settings import SettingsError

__all__ = ["Baseline", "Mark"]

#: The file, the code and the text of the line.
Mark: TypeAlias = tuple[str, str, str]


class Baseline:
    """The findings of a file, each as often as it is there.

    Args:
        marks: the findings.
    """

    def __init__(self, marks: Iterable[Mark] = ()) -> None:
        self._left = Counter(marks)

    def knows(self, mark: Mark) -> bool:
        """Whether a finding is known; each entry stands for one of them."""
        if self._left[mark] <= 0:
            return False
        self._left[mark] -= 1
        return True

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Read a file.

        Raises:
            SettingsError: it cannot be read, or is no baseline.
        """
        try:
            data: Any = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                (str(one["path"]), str(one["code"]), str(one["text"]))
                for one in data["findings"]
            )
        except FileNotFoundError:
            raise SettingsError(
                f"there is no baseline {path}: make it with --update-baseline"
            ) from None
        except OSError as error:
            why = error.strerror or error
            raise SettingsError(f"{path} cannot be read: {why}") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise SettingsError(
                f"{path} is no baseline: make it anew with --update-baseline"
            ) from None

    @staticmethod
    def write(path: Path, marks: Iterable[Mark]) -> None:
        """Write a file, whole or not at all; a device or a pipe is written to as it is.

        Raises:
            SettingsError: it cannot be written.
        """
        data = {
            "version": 1,
            "findings": [
                {"path": name, "code": code, "text": text}
                for name, code, text in sorted(marks)
            ],
        }
        name = ""
        lines = json.dumps(data, indent=1) + "\n"
        try:
            if path.exists() and not path.is_file():
                path.write_text(lines, encoding="utf-8")
                return
            with tempfile.NamedTemporaryFile(
                "w", encoding="utf-8", dir=path.parent, delete=False
            ) as file:
                name = file.name
                file.write(lines)
            Path(name).chmod(0o644)
            os.replace(name, path)  # noqa: PTH105
        except OSError as error:
            if name:
                Path(name).unlink(missing_ok=True)
            why = error.strerror or error
            raise SettingsError(f"{path} cannot be written: {why}") from None
