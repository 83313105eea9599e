"""What a callback is called, since when it waited, and which line is the program's."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .events import Callback, Code
    from .recording import Recording

#: Timers by which asyncio wakes a task: what they are for is who set them.
WAKERS = frozenset(["_set_result_unless_cancelled", "Timeout._on_timeout"])


def name_of(recording: Recording, callback: Callback) -> str:
    """What the report calls the group of *callback*: its tag, or else its code."""
    tag = recording.tags.get(callback.tag) if callback.tag else None
    if tag is not None:
        return tag
    name = callback.code.name
    if name in WAKERS:
        maker = recording.numbered(callback.by)
        if maker is not None:
            return name_of(recording, maker)
    return plain(name)


def plain(function: str) -> str:
    """A qualified name without the functions around it."""
    return function.rpartition("<locals>.")[2]


def matches(recording: Recording, callback: Callback, pattern: str) -> bool:
    """Whether *pattern* (``*`` stands for anything) is its tag, name, task or place."""
    pattern = pattern.removeprefix("timers of ")
    names = name_of(recording, callback), callback.task or ""
    return shows(callback.code, pattern) or any(fnmatchcase(n, pattern) for n in names)


def shows(code: Code, pattern: str) -> bool:
    """Whether *pattern* is the name of *code*, or its place as reports write it."""
    near = short(code.place)
    texts = code.place, near, near.rpartition("/")[2], plain(code.name)
    return any(fnmatchcase(text, pattern) for text in texts)


def short(place: str) -> str:
    """A place with the last two parts of its path."""
    return "/".join(place.replace("\\", "/").split("/")[-2:])


def waits_from(callback: Callback) -> int:
    """From when on *callback* itself waited.

    A step that a late timer woke waits from when it was ready: what made the timer
    late is charged once, for the timer.
    """
    return callback.ready_ns if callback.cause == "call" else callback.waits_from_ns


@lru_cache(5000)
def is_own(file: str) -> bool:
    """Whether *file* is of the program itself, not of Python or a library."""
    if not file or file.startswith("<"):
        return False
    path = file.replace("\\", "/")
    parts = ("/site-packages/", "/dist-packages/", "/lib/python3", "/looplab/")
    return not any(part in path for part in parts)


def is_pythons(file: str) -> bool:
    """Whether *file* is of Python itself."""
    in_library = "/lib/python3" in file and "-packages/" not in file
    return in_library or file.startswith("<frozen ")


def is_recorders(file: str) -> bool:
    """Whether *file* is of what records the program."""
    return "/looplab/diagnose/" in file


def own_line(stack: Iterable[Code]) -> Code | None:
    """The innermost place of a stack that is the program's own, and not only imported;
    else the innermost of a library; else of Python, but not of its imports."""
    places = (code for code in stack if not is_recorders(code.file))
    return min(places, key=_strangeness, default=None)


def _strangeness(code: Code) -> int:
    if is_own(code.file):
        return code.name == "<module>"
    return 2 + is_pythons(code.file) + code.file.startswith("<frozen ")
