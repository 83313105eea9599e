"""Cells of a lab, as a notebook with outputs holds them."""

from __future__ import annotations

from typing import Any

from lab_values import GLUE_PREFIX


def cell(key: str, *tags: str, **data: str | list[str]) -> dict[str, Any]:
    """A code cell that glued an output; ``_`` stands for ``/`` in a MIME type."""
    output = {
        "output_type": "display_data",
        "data": {
            GLUE_PREFIX + mime.replace("_", "/"): text for mime, text in data.items()
        },
        "metadata": {"scrapbook": {"mime_prefix": GLUE_PREFIX, "name": key}},
    }
    return {
        "cell_type": "code",
        "metadata": {"tags": list(tags) or ["exact"]},
        "outputs": [{"output_type": "stream", "name": "stdout", "text": "x"}, output],
        "source": "",
    }
