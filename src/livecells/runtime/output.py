"""What a cell shows, kept within bounds and sent in pieces."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from ._guard import own_builtins

__all__ = ["CELL", "NoInput", "Stream", "Writer"]

__builtins__ = own_builtins  # type: ignore[assignment]

Output = dict[str, Any]
Emit = Callable[[Output], None]

PIECE = 8_000  # characters of a stream that are sent together
PROMPT = 40  # short pieces that are sent at once, before they are held back …
REFILL = 20  # … and how many more a second
RICH_LIMIT = 2_000_000  # characters of HTML or SVG in one cell …
RICH_TAGS = 20_000  # … and tags, since elements cost a page more than letters
DISPLAYS = 300  # outputs other than text in one cell


#: The cell whose code is running: its tasks take it along when it has ended.
CELL: ContextVar[str | None] = ContextVar("livecells_cell", default=None)


class _Shown:
    """What one run of one cell has shown, and what it may still show."""

    def __init__(self, limit: int) -> None:
        self.left = limit
        self.rich = RICH_LIMIT
        self.tags = RICH_TAGS
        self.displays = DISPLAYS
        self.is_cut = False
        self.pieces: dict[str, list[str]] = {}
        self.length = 0

    def take(self, text: str) -> str:
        if len(text) > self.left:
            text = text[: self.left]
            self.is_cut = True
        self.left -= len(text)
        # Half a surrogate pair cannot leave Python as UTF-8.
        return text.encode("utf-8", "replace").decode("utf-8")


class Writer:
    """Takes what cells show, keeps it within bounds, and sends it in pieces.

    Args:
        emit: is called with each output.
        limit: how many characters a cell may show.
        late: whether what a cell's tasks show after its end is sent too, with the
            cell's name as ``"late"``.
        clock: the time in seconds, for the pace of short pieces.
    """

    def __init__(
        self,
        emit: Emit,
        limit: int,
        *,
        late: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._emit = emit
        self._clock = clock
        self._limit = limit
        self._late = late
        self._open: str | None = None  # the cell that runs
        self._shown: dict[str, _Shown] = {}
        self._held: dict[str, _Shown] = {}  # those with text that is held back
        self._prompt = 0.0
        self._since = 0.0

    def begin(self, name: str) -> None:
        if not self._late:
            self._shown.clear()
        self._shown[name] = _Shown(self._limit)
        self._open = name
        self._prompt = float(PROMPT)
        self._since = self._clock()

    def end(self) -> None:
        self.flush()
        self._open = None

    def _place(self) -> str | None:
        """The cell to which what is shown now belongs; None where there is none."""
        cell = CELL.get()
        if cell is None:
            return self._open
        return (
            cell if cell == self._open or (self._late and cell in self._shown) else None
        )

    def _send(self, cell: str, output: Output) -> None:
        self._emit(output if cell == self._open else {**output, "late": cell})

    def write(self, name: str, text: str) -> None:
        cell = self._place()
        if not text or cell is None or self._shown[cell].is_cut:
            return
        shown = self._shown[cell]
        if shown.pieces and name not in shown.pieces:
            self.hurry()  # in a flood the two streams may lose their order
        piece = shown.take(text)
        shown.pieces.setdefault(name, []).append(piece)
        shown.length += len(piece)
        self._held[cell] = shown
        if shown.length >= PIECE or shown.is_cut:
            self.flush()
        else:
            self.hurry()
        if shown.is_cut:
            self._say_cut(cell)

    def hurry(self) -> None:
        """Send what is held back, unless too much has been sent of late.

        What is printed ahead of a long computation has to be seen during it, and a loop
        that prints for ever must not send a million messages, flushed or not.
        """
        now = self._clock()
        self._prompt = min(PROMPT, self._prompt + (now - self._since) * REFILL)
        self._since = now
        if self._held and self._prompt >= 1:
            self._prompt -= 1
            self.flush()

    def flush(self) -> None:
        held, self._held = self._held, {}
        for cell, shown in held.items():
            pieces, shown.pieces, shown.length = shown.pieces, {}, 0
            for name, texts in pieces.items():
                text = "".join(texts)
                self._send(cell, {"kind": "stream", "name": name, "text": text})

    def display(self, data: dict[str, str], result: bool) -> None:
        cell = self._place()
        if cell is None or self._shown[cell].is_cut:
            return
        shown = self._shown[cell]
        self.flush()
        shown.displays -= 1
        for mime in data.keys() - {"text/plain"}:
            size, tags = len(data[mime]), data[mime].count("<")
            shown.rich -= size
            shown.tags -= tags
            if shown.rich < 0 or shown.tags < 0:
                data = {
                    "text/plain": f"<not shown: {size:,} characters with {tags:,} tags "
                    f"of {mime}; all of a cell may have {RICH_LIMIT:,} and "
                    f"{RICH_TAGS:,}>"
                }
                shown.is_cut = True
                break
        else:
            data = dict(data)
        data["text/plain"] = shown.take(data["text/plain"])
        self._send(cell, {"kind": "display", "data": data, "result": result})
        if shown.displays <= 0:
            shown.is_cut = True
        if shown.is_cut:
            self._say_cut(cell)

    def error(self, output: Output) -> None:
        """Errors are always sent: they end the cell."""
        self.flush()
        for key in ("message", "text"):
            if len(output[key]) > 20_000:
                half = output[key][:10_000], output[key][-10_000:]
                output[key] = "\n… left out …\n".join(half)
        self._emit(output)

    def _say_cut(self, cell: str) -> None:
        self.flush()
        self._send(cell, {"kind": "cut", "limit": self._limit})


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr of cells."""

    def __init__(self, name: str, writer: Writer) -> None:
        self.name = f"<{name}>"
        self._stream = name
        self._writer = writer

    encoding = "utf-8"

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            kind = type(text).__name__
            raise TypeError(f"write() argument must be str, not {kind}")
        self._writer.write(self._stream, text)
        return len(text)

    def flush(self) -> None:
        self._writer.hurry()


class NoInput(io.TextIOBase):
    """sys.stdin while a cell runs: nobody can type into it."""

    def readable(self) -> bool:
        return True

    def readline(self, *_: Any) -> str:  # type: ignore[override]
        raise OSError("a cell cannot read input: write the value into the code")

    read = readline
