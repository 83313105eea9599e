"""A value as a page can show it: by MIME type, as notebooks do."""

from __future__ import annotations

import base64
from typing import Any

from ._guard import own_builtins
from .pretty import pretty
from .report import last_line

__all__ = ["KINDS", "bundle_of"]

__builtins__ = own_builtins  # type: ignore[assignment]

#: What a page can show, the best first, and the method that makes it.
KINDS = {
    "text/html": "_repr_html_",
    "image/svg+xml": "_repr_svg_",
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
    "text/markdown": "_repr_markdown_",
}


def bundle_of(value: object) -> dict[str, str]:
    """The best form of a value that a page can show, and its text.

    Pictures are in base64.  A method of the value may return its data alone, or with
    metadata in a pair, as in notebooks.
    """
    data: dict[str, str] = {}
    packed = _call(value, "_repr_mimebundle_")
    bundle = packed if isinstance(packed, dict) else {}
    for mime, method in KINDS.items():
        text = _text(bundle.get(mime))
        if text is None:
            text = _text(_call(value, method))
        if text is not None:
            data[mime] = text
            break
    plain = bundle.get("text/plain")
    try:
        data["text/plain"] = plain if isinstance(plain, str) else pretty(value)
    except Exception as error:
        name = type(value).__name__
        data["text/plain"] = f"<{name}: its repr() raised {last_line(error)}>"
    return data


def _call(value: object, method: str) -> Any:
    # Of the type: an object whose __getattr__ answers to everything has none.
    maker = getattr(type(value), method, None)
    made = None if maker is None or isinstance(value, type) else maker(value)
    return made[0] if isinstance(made, tuple) and made else made


def _text(made: object) -> str | None:
    if isinstance(made, (bytes, bytearray)):
        return base64.b64encode(made).decode("ascii")
    return made if isinstance(made, str) else None
