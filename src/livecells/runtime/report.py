"""An error as a reader of a cell wants it."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ._guard import own_builtins

__all__ = ["Report", "forget_frames", "last_line", "message_of"]

__builtins__ = own_builtins  # type: ignore[assignment]

AROUND = 2  # lines of the cell above the marked one in a traceback


#: What a page does otherwise than a program, by words of the error that says so.
HINTS = (
    (
        "can't start new thread",
        "The Python of a page has one thread: asyncio.to_thread() and threads run in "
        "the lab, on your own machine.",
    ),
    (
        "cannot be called from a running event loop",
        "A cell runs on an event loop already: write await main().",
    ),
)


class Report:
    """An exception as a short text, with the last line of the reader's own code marked.

    Attributes:
        line: the marked line, counted from 1 in its cell, or None.
        cell: the id of that cell, or None.
        source: the code of that cell as it ran.
    """

    def __init__(
        self,
        error: BaseException,
        files: dict[str, tuple[str, str, str]],
        packages: Sequence[str] = (),
    ) -> None:
        self._error = error
        self._packages = packages
        self._files = files
        self._seen: set[int] = set()
        self.line: int | None = None
        self.cell: str | None = None
        self.source: str | None = None
        leaf = error
        while isinstance(leaf, BaseExceptionGroup) and leaf.exceptions:
            leaf = leaf.exceptions[0]
        for candidate in (leaf, error):
            frames = [f for f in self._frames(candidate) if f[0] in files]
            if frames:
                file, line, _, _ = frames[-1]
                self.cell, _, self.source = files[file]
                self.line = line
                self._marked = (file, line)
                break
        else:
            self._marked = ("", 0)

    def text(self) -> str:
        return "\n".join(self._lines(self._error))

    def _lines(self, error: BaseException) -> Iterator[str]:
        self._seen.add(id(error))
        before = error.__cause__
        link = "That error was the cause of the next one:"
        if before is None and not error.__suppress_context__:
            before = error.__context__
            link = "While that error was being dealt with, there was another one:"
        if before is not None and id(before) not in self._seen:
            yield from self._lines(before)
            yield from ("", link, "")
        hidden: list[str] = []
        frames = self._frames(error)
        for repeated, (file, line, function, module) in _folded(frames):
            if file not in self._files:
                hidden.extend([module] * repeated)
                continue
            if hidden:
                yield self._hidden(hidden)
                hidden = []
            _, label, source = self._files[file]
            inside = "" if function == "<module>" else f", in {function}"
            yield f"{label}, line {line}{inside}"
            marked = (file, line) == self._marked
            yield from _excerpt(source, line, AROUND if marked else 0, marked)
            if isinstance(error, SyntaxError) and marked:
                is_here = (error.filename, error.lineno) == (file, line)
                if is_here and error.offset and error.offset > 0:
                    yield " " * (len(str(line)) + 3 + error.offset) + "^"
            if repeated > 1:
                yield f"  … {repeated - 1} times more"
        if hidden:
            yield self._hidden(hidden)
        yield last_line(error)
        notes = getattr(error, "__notes__", None)
        for note in notes if isinstance(notes, (list, tuple)) else ():
            yield _text_of(note)
        if isinstance(error, ModuleNotFoundError):
            yield self._what_is_here()
        elif isinstance(error, RuntimeError):
            yield from (hint for words, hint in HINTS if words in message_of(error))
        if isinstance(error, BaseExceptionGroup):
            count = len(error.exceptions)
            for i, inner in enumerate(error.exceptions[:10], 1):
                yield ""
                yield f"  {i} of {count}:"
                if id(inner) not in self._seen:
                    yield from (f"    {line}".rstrip() for line in self._lines(inner))
            if count > 10:
                yield f"  … {count - 10} more"

    def _what_is_here(self) -> str:
        own = f" and {', '.join(self._packages)}" if self._packages else ""
        return (
            f"In the page there is the standard library{own}, without what needs "
            "threads, processes or sockets."
        )

    def _frames(self, error: BaseException) -> list[tuple[str, int, str, str]]:
        out = []
        for frame, line in traceback.walk_tb(error.__traceback__):
            module = str(frame.f_globals.get("__name__", "?")).partition(".")[0]
            package = frame.f_globals.get("__package__")
            if package == __package__ or module == "ast":
                continue  # the machinery around a cell
            code = frame.f_code
            name = getattr(code, "co_qualname", code.co_name)
            out.append(
                (code.co_filename, line, name.rpartition("<locals>.")[2], module)
            )
        if isinstance(error, SyntaxError) and error.filename in self._files:
            line = error.lineno if isinstance(error.lineno, int) else 1
            out.append((error.filename, line, "<module>", "__main__"))
        return out

    @staticmethod
    def _hidden(modules: list[str]) -> str:
        names = ", ".join(dict.fromkeys(modules))
        calls = "1 call" if len(modules) == 1 else f"{len(modules)} calls"
        return f"  … {calls} inside {names}"


def _folded(frames: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Frames with equal neighbours as one, and the middle of a long pile left out."""
    folded: list[list[Any]] = []
    for frame in frames:
        if folded and folded[-1][1] == frame:
            folded[-1][0] += 1
        else:
            folded.append([1, frame])
    if len(folded) > 30:
        folded = folded[:10] + folded[-10:]
    for count, frame in folded:
        yield count, frame


def _excerpt(source: str, line: int, around: int, marked: bool) -> Iterator[str]:
    lines = source.split("\n")
    if not 1 <= line <= len(lines):
        return
    width = len(str(line))
    for number in range(max(1, line - around), line + 1):
        arrow = "→" if marked and number == line else " "
        yield f"{arrow} {number:>{width}}  {lines[number - 1]}".rstrip()


def message_of(error: BaseException) -> str:
    is_syntax = isinstance(error, SyntaxError) and error.msg
    return _text_of(error.msg if is_syntax else error)  # type: ignore[attr-defined]


def _text_of(value: object) -> str:
    try:
        return str(value)
    except BaseException as other:  # even SystemExit: nobody meant to leave here
        return f"<its str() raised {type(other).__name__}>"


def last_line(error: BaseException) -> str:
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    message = message_of(error)
    return f"{name}: {message}" if message else name


def forget_frames(error: BaseException) -> None:
    """Let go of the values that the frames of an error keep alive."""
    try:
        traceback.clear_frames(error.__traceback__)
        error.__traceback__ = None
    except Exception:
        pass
