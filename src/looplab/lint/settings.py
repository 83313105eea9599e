"""The settings of ``looplab lint`` in ``pyproject.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Settings", "SettingsError", "find", "load"]

_TABLE = "[tool.looplab.lint]"


class SettingsError(ValueError):
    """The settings cannot be used; the message names the file and the fix."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What ``[tool.looplab.lint]`` can say; each has an option of the same name.

    None, in all of them: the file does not say.
    """

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    exempt: tuple[str, ...] | None = None
    extend_exempt: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    include_tests: bool | None = None
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] | None = None
    max_bytes: int | None = None
    baseline: str | None = None


def find(start: Path) -> Path | None:
    """The nearest ``pyproject.toml`` from *start* upwards."""
    for folder in (start, *start.parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            return path
    return None


def load(path: Path) -> Settings:
    """Read the settings of a file; those of a file without our table are empty.

    Raises:
        SettingsError: the file cannot be read, or says something that means nothing.
    """
    try:
        data: Any = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        why = error.strerror or error
        raise SettingsError(f"{path} cannot be read: {why}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not TOML: {error}") from None
    for key in ("tool", "looplab", "lint"):
        data = data.get(key, {})
        if not isinstance(data, dict):
            raise SettingsError(f"{path}: {key} in {_TABLE} must be a table")
    known = Settings.__dataclass_fields__
    given: dict[str, Any] = {}
    for key, value in data.items():
        name = key.replace("-", "_")
        if name not in known:
            names = ", ".join(one.replace("_", "-") for one in known)
            raise SettingsError(f"{path}: {_TABLE} has no {key!r}: there are {names}")
        given[name] = _value(path, key, name, value)
    return Settings(**given)


def _value(path: Path, key: str, name: str, value: Any) -> Any:
    """One value as the settings hold it.

    Raises:
        SettingsError: it is of another kind.
    """

    def wrong(what: str) -> SettingsError:
        return SettingsError(f"{path}: {key} must be {what}, not {value!r}")

    if name == "include_tests":
        if not isinstance(value, bool):
            raise wrong("true or false")
        return value
    if name == "max_bytes":
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise wrong("a number of bytes, 0 for any")
        return value
    if name == "baseline":
        if not isinstance(value, str):
            raise wrong("the name of a file")
        return str(path.parent / value)
    if name == "per_file_ignores":
        if not isinstance(value, dict) or not all(map(_is_strings, value.values())):
            raise wrong("a table of patterns with lists of codes")
        return tuple((pattern, tuple(codes)) for pattern, codes in value.items())
    if not _is_strings(value):
        raise wrong("a list of strings")
    return tuple(value)


def _is_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
