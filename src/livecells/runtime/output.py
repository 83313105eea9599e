"""What a cell shows, kept within bounds and sent in pieces."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from typing import Any

from ._guard import own_builtins

__all__ = ["NoInput", "Stream", "Writer"]

__builtins__ = own_builtins  # type: ignore[assignment]

Output = dict[str, Any]
Emit = Callable[[Output], None]

PIECE = 8_000  # characters of a stream that are sent together
PROMPT = 40  # short pieces that are sent at once, before they are held back …
REFILL = 20  # … and how many more a second
RICH_LIMIT = 2_000_000  # characters of HTML or SVG in one cell …
RICH_TAGS = 20_000  # … and tags, since elements cost a page more than letters
DISPLAYS = 300  # outputs other than text in one cell


class Writer:
    """Takes what a cell shows, keeps it within bounds, and sends it in pieces."""

    def __init__(self, emit: Emit, limit: int) -> None:
        self._emit = emit
        self._limit = limit
        self._open = False

    def begin(self) -> None:
        self._open = True
        self._left = self._limit
        self._rich = RICH_LIMIT
        self._tags = RICH_TAGS
        self._displays = DISPLAYS
        self._is_cut = False
        self._pieces: dict[str, list[str]] = {}
        self._length = 0
        self._prompt = float(PROMPT)
        self._since = time.monotonic()

    def end(self) -> None:
        self.flush()
        self._open = False

    def write(self, name: str, text: str) -> None:
        # Text that arrives when no cell runs, from a task that a cell left behind, has
        # no place on the page.
        if not text or not self._open or self._is_cut:
            return
        if self._pieces and name not in self._pieces:
            self.hurry()  # in a flood the two streams may lose their order
        piece = self._take(text)
        self._pieces.setdefault(name, []).append(piece)
        self._length += len(piece)
        if self._length >= PIECE or self._is_cut:
            self.flush()
        else:
            self.hurry()
        if self._is_cut:
            self._say_cut()

    def hurry(self) -> None:
        """Send what is held back, unless too much has been sent of late.

        What is printed ahead of a long computation has to be seen during it, and a loop
        that prints for ever must not send a million messages, flushed or not.
        """
        now = time.monotonic()
        self._prompt = min(PROMPT, self._prompt + (now - self._since) * REFILL)
        self._since = now
        if self._pieces and self._prompt >= 1:
            self._prompt -= 1
            self.flush()

    def flush(self) -> None:
        pieces, self._pieces, self._length = self._pieces, {}, 0
        for name, texts in pieces.items():
            self._emit({"kind": "stream", "name": name, "text": "".join(texts)})

    def display(self, data: dict[str, str], result: bool) -> None:
        if not self._open or self._is_cut:
            return
        self.flush()
        self._displays -= 1
        for mime in data.keys() - {"text/plain"}:
            size, tags = len(data[mime]), data[mime].count("<")
            self._rich -= size
            self._tags -= tags
            if self._rich < 0 or self._tags < 0:
                data = {
                    "text/plain": f"<not shown: {size:,} characters with {tags:,} tags "
                    f"of {mime}; all of a cell may have {RICH_LIMIT:,} and "
                    f"{RICH_TAGS:,}>"
                }
                self._is_cut = True
                break
        else:
            data = dict(data)
        data["text/plain"] = self._take(data["text/plain"])
        self._emit({"kind": "display", "data": data, "result": result})
        if self._displays <= 0:
            self._is_cut = True
        if self._is_cut:
            self._say_cut()

    def error(self, output: Output) -> None:
        """Errors are always sent: they end the cell."""
        self.flush()
        for key in ("message", "text"):
            if len(output[key]) > 20_000:
                half = output[key][:10_000], output[key][-10_000:]
                output[key] = "\n… left out …\n".join(half)
        self._emit(output)

    def _take(self, text: str) -> str:
        if len(text) > self._left:
            text = text[: self._left]
            self._is_cut = True
        self._left -= len(text)
        # Half a surrogate pair cannot leave Python as UTF-8.
        return text.encode("utf-8", "replace").decode("utf-8")

    def _say_cut(self) -> None:
        self.flush()
        self._emit({"kind": "cut", "limit": self._limit})


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr while a cell runs."""

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
        if self._writer._open:
            self._writer.hurry()


class NoInput(io.TextIOBase):
    """sys.stdin while a cell runs: nobody can type into it."""

    def readable(self) -> bool:
        return True

    def readline(self, *_: Any) -> str:  # type: ignore[override]
        raise OSError("a cell cannot read input: write the value into the code")

    read = readline
