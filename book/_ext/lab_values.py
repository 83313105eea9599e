"""What a lab found: values, pictures and tables, read from its outputs.

No Sphinx here: the pages (``ours.py``), the scoreboard and the tests read this module,
so that all of them see the same figures. A lab is a notebook with its outputs; what it
has glued (``glue("A2_lateness", 1.5)``) is found under that key.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

GLUE_PREFIX = "application/papermill.record/"

Value = Decimal | str


class LabError(LookupError):
    """A lab, a key or a format that does not fit; the message names what would."""


@dataclass(frozen=True, slots=True)
class Lab:
    """One notebook, as its outputs tell it.

    Attributes:
        name: The name of the file.
        outputs: For each key that was glued, its text by MIME type.
        values: For each key whose output has a text, a number or the text itself.
        twice: Keys that were glued more than once.
        tags: For each key, the tags of its cell.
        shares: For each measured figure, the share of the cores that was free, which is
            the least around its cell and the measured cells before it. A cell that
            reads a capture glues ``captured_free``: the share while that was made.
        machines: For each figure of such a cell, what it was captured on, which the
            cell glues as ``captured_on``.
    """

    name: str
    outputs: Mapping[str, Mapping[str, str]]
    values: Mapping[str, Value] = field(default_factory=dict)
    twice: tuple[str, ...] = ()
    tags: Mapping[str, frozenset[str]] = field(default_factory=dict)
    shares: Mapping[str, Decimal] = field(default_factory=dict)
    machines: Mapping[str, str] = field(default_factory=dict)

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

    def _output(self, key: str) -> Mapping[str, str]:
        if key not in self.outputs:
            near = get_close_matches(key, self.outputs, n=3)
            hint = f"; near it: {', '.join(near)}" if near else ""
            raise LabError(f"{self.name} glues no {key!r}{hint}")
        return self.outputs[key]


def find_lab(folder: Path, stem: str) -> Path:
    """The notebook with this stem.

    Raises:
        LabError: The folder has none.
    """
    path = folder / f"{stem}.ipynb"
    if not path.is_file():
        stems = [other.stem for other in folder.glob("*.ipynb")]
        near = get_close_matches(stem, stems, n=3, cutoff=0.4)
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise LabError(f"no lab {folder.name}/{path.name}{hint}")
    return path


def read_lab(path: Path) -> Lab:
    """Read what a notebook has glued; read again only when the file has changed."""
    status = path.stat()
    return _read_lab(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _read_lab(path: Path, mtime_ns: int, size: int) -> Lab:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    outputs: dict[str, dict[str, str]] = {}
    values: dict[str, Value] = {}
    tags: dict[str, frozenset[str]] = {}
    shares: dict[str, Decimal] = {}
    machines: dict[str, str] = {}
    seen: Counter[str] = Counter()
    least: Decimal | None = None  # what is measured here may be shown further down
    for cell in notebook["cells"]:
        share = cell["metadata"].get("free_cores")
        if share is not None:
            least = min(Decimal(str(share)), least or Decimal(1))
        keys = []
        for output in cell.get("outputs", ()):
            key = output.get("metadata", {}).get("scrapbook", {}).get("name")
            if key is None:
                continue
            seen[key] += 1
            keys.append(key)
            tags[key] = frozenset(cell["metadata"].get("tags", ()))
            if least is not None and "measured" in tags[key]:
                shares[key] = least
            outputs[key] = _by_type(output.get("data", {}))
            value = glued_value(outputs[key])
            if value is not None:
                values[key] = value
        if "captured_free" in keys:
            shares |= dict.fromkeys(keys, Decimal(str(values["captured_free"])))
            machines |= dict.fromkeys(keys, str(values["captured_on"]))
    twice = tuple(key for key, count in seen.items() if count > 1)
    return Lab(path.name, outputs, values, twice, tags, shares, machines)


def _by_type(data: Mapping[str, Any]) -> dict[str, str]:
    """The text of each MIME type; glue marks its own with a prefix."""
    return {
        mime.removeprefix(GLUE_PREFIX): "".join(text)
        for mime, text in data.items()
        if isinstance(text, str | list)
    }


def _bare(text: str) -> str:
    """The text of a value, without NumPy's name around a number: np.float64(1.5)."""
    text = text.strip()
    numpy = re.fullmatch(r"np\.\w+\((.*)\)", text)
    return numpy[1] if numpy else text


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


def glued_value(data: Mapping[str, Any]) -> Value | None:
    """Read the value of a glue output: a number as written, or the text itself."""
    plain = _by_type(data).get("text/plain")
    if plain is None:
        return None
    text = _bare(plain)
    try:
        number = Decimal(text)
    except InvalidOperation:
        return str(_literal(text))
    return number if number.is_finite() else text
