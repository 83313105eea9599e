"""What a lab found: values, pictures and tables, read from its outputs.

No Sphinx here: the pages (``ours.py``), the slides, the scoreboard and the tests read
this module, so that all of them see the same figures. A lab is a notebook with its
outputs; what it has glued (``glue("A2_lateness", 1.5)``) is found under that key.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

GLUE_PREFIX = "application/papermill.record/"

T = TypeVar("T")
Value = Decimal | str


class LabError(LookupError):
    """A lab, a key or a format that does not fit; the message names what would."""


def kept(read: Callable[[Path], T]) -> Callable[[Path], T]:
    """Keep what was read of a file, which pages ask for often, until it changes."""

    @lru_cache(maxsize=64)
    def known(path: Path, mtime_ns: int, size: int) -> T:
        return read(path)

    def look(path: Path) -> T:
        status = path.stat()
        return known(path, status.st_mtime_ns, status.st_size)

    return look


@dataclass(slots=True)
class Glued:
    """What a lab has glued under one key.

    Attributes:
        output: Its text by MIME type.
        tags: Those of its cell.
        free: Of a measured figure, the share of the cores that was free, which is the
            least around its cell and the measured cells before it. A cell that reads a
            capture glues ``captured_free``: the share while that was made.
        machine: What it was captured on, which such a cell glues as ``captured_on``.
        times: How often it was glued.
    """

    output: dict[str, str]
    tags: set[str]
    free: Decimal | None
    machine: str = ""
    times: int = 1

    @property
    def value(self) -> Value | None:
        """A number as it is written, or the text itself."""
        plain = self.output.get("text/plain")
        if plain is None:
            return None
        try:
            number = Decimal(_bare(plain))
        except InvalidOperation:
            return str(_literal(plain))
        return number if number.is_finite() else _bare(plain)


@dataclass(frozen=True, slots=True)
class Lab:
    """One notebook, as its outputs tell it: the name of its file, and what it glued."""

    name: str
    glued: dict[str, Glued] = field(default_factory=dict)

    def text(self, key: str, spec: str = "") -> str:
        """A value in words, formatted as ``format()`` would.

        Args:
            key: The key of the value.
            spec: A format such as ``.3f``. A text and a whole number need none.

        Raises:
            LabError: There is no such value, or it does not fit the format.
        """
        plain = self._output(key).get("text/plain")
        if plain is None:
            raise LabError(f"{key!r} of {self.name} has no text")
        value = _literal(plain)
        if not spec and isinstance(value, float):
            raise LabError(
                f"{key!r} of {self.name} is {value}: say how many digits to show, "
                f"for example {key}:.3f"
            )
        if isinstance(value, float) and spec.endswith("d") and value.is_integer():
            value = int(value)
        try:
            return format(value if spec else str(value), spec)
        except (TypeError, ValueError):
            raise LabError(
                f"{key!r} of {self.name} is {value!r}, which the format {spec!r} "
                "does not fit"
            ) from None

    def html(self, key: str) -> str:
        """A picture or a table that the lab has made, as HTML.

        Raises:
            LabError: There is no such output, or it has no HTML.
        """
        html = self._output(key).get("text/html")
        if html is None:
            raise LabError(
                f"{key!r} of {self.name} has no HTML to show: a picture or a table "
                f"has, and a value stands in a sentence, as {{ours}}`{key}`"
            )
        return html

    def _output(self, key: str) -> dict[str, str]:
        if key not in self.glued:
            raise LabError(f"{self.name} glues no {key!r}{_near(key, self.glued)}")
        return self.glued[key].output


def _near(name: str, names: Any) -> str:
    near = get_close_matches(name, names, n=3, cutoff=0.4)
    return f"; near it: {', '.join(near)}" if near else ""


def place_of(words: str, stem: str) -> tuple[str, str]:
    """The stem of the lab that is named before a slash, or *stem*; and the key."""
    named, _, key = words.strip().rpartition("/")
    return named or stem, key


def open_lab(folder: Path, stem: str) -> Lab:
    """The notebook with this stem.

    Raises:
        LabError: The folder has none.
    """
    path = folder / f"{stem}.ipynb"
    if not path.is_file():
        near = _near(stem, [other.stem for other in folder.glob("*.ipynb")])
        raise LabError(
            f"no lab {folder.name}/{path.name}{near}; name the lab before a slash, as "
            "in 04_late_heartbeat/A2_lateness:.3f"
        )
    return read_lab(path)


def figure(folder: Path, words: str, stem: str) -> str:
    """A value in a sentence, from words such as ``A2_lateness:.3f``.

    Args:
        folder: That of the labs.
        words: The key and its format; another lab is named before a slash.
        stem: The lab that is meant if none is named.

    Raises:
        LabError: There is no such lab or value, or it does not fit the format.
    """
    words, _, spec = words.partition(":")
    stem, key = place_of(words, stem)
    return open_lab(folder, stem).text(key, spec.strip())


@kept
def read_lab(path: Path) -> Lab:
    """Read what a notebook has glued."""
    lab = Lab(path.name)
    least: Decimal | None = None  # what is measured here may be shown further down
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        share = cell["metadata"].get("free_cores")
        if share is not None:
            least = min(Decimal(str(share)), least or Decimal(1))
        tags = set(cell["metadata"].get("tags", ()))
        glued = {}
        for output in cell.get("outputs", ()):
            key = output.get("metadata", {}).get("scrapbook", {}).get("name")
            if key is not None:
                data = _by_type(output.get("data", {}))
                times = 1 + (lab.glued[key].times if key in lab.glued else 0)
                free = least if "measured" in tags else None
                lab.glued[key] = glued[key] = Glued(data, tags, free, times=times)
        if "captured_free" in glued:
            for each in glued.values():
                each.free = Decimal(str(glued["captured_free"].value))
                each.machine = str(glued["captured_on"].value)
    return lab


def _by_type(data: dict[str, Any]) -> dict[str, str]:
    """The text of each MIME type; glue marks its own with a prefix."""
    return {
        mime.removeprefix(GLUE_PREFIX): "".join(text)
        for mime, text in data.items()
        if isinstance(text, str | list)
    }


def _bare(text: str) -> str:
    """The text of a value, without NumPy's name around a number: np.float64(1.5)."""
    numpy = re.fullmatch(r"np\.\w+\((.*)\)", text.strip())
    return numpy[1] if numpy else text.strip()


def _literal(text: str) -> Any:
    """The value whose ``repr`` this is, or the text itself."""
    text = _bare(text)
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    return str(value) if isinstance(value, bool | dict | set) else value
