"""Let Sphinx read the pages in several processes.

It does so only if every extension says that it may.  Two of Jupyter Book's say nothing:
one numbers the sections once all pages are read, the other is for LaTeX alone.
"""

from __future__ import annotations

from typing import Any

SILENT = ("sphinx_jupyterbook_latex", "sphinx_multitoc_numbering")


def allow(app: Any, _: Any) -> None:
    """Say it in their place, where they are used."""
    for name in SILENT:
        if name in app.extensions:
            app.extensions[name].parallel_read_safe = True


def setup(app: Any) -> dict[str, Any]:
    """Wait until all extensions are there."""
    app.connect("config-inited", allow)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
