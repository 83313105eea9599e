"""Make the cells of a Jupyter Book run in the reader's browser, without a server.

A Sphinx extension.  Cells of a notebook that carry the tag ``live`` get buttons to run
and to edit them; Python (Pyodide) is loaded from the book's own pages when a reader
first presses one.  Without scripts the page stays what the build made it.

Its options, in ``conf.py`` or under ``sphinx: config:`` in ``_config.yml``, are
``livecells_enabled``, ``livecells_tag``, ``livecells_wheels``, ``livecells_pyodide``,
``livecells_without``, ``livecells_reasons``, ``livecells_node_modules``,
``livecells_output_limit``, ``livecells_timeout``, ``livecells_explorables`` and
``livecells_cache``.  What they mean is in
:data:`livecells.options.OPTIONS`; the directive ``{livecells-options}`` shows it on a
page.
"""

from __future__ import annotations

from typing import Any

from .options import OPTIONS
from .sphinx.explorable import Explorable, ExplorableError, Frame

__all__ = ["Explorable", "ExplorableError", "Frame", "setup"]

__version__ = "0.1.0"


def setup(app: Any) -> dict[str, Any]:
    """Register options, directives and handlers with Sphinx."""
    # Here and not above: a book's own figures import this package without Sphinx.
    from .sphinx import cells, livecell, slider, strips, tables, texts

    for option in OPTIONS:
        app.add_config_value(
            option.name, option.default, option.rebuild, list(option.types)
        )
    cells.register(app)
    app.add_node(slider.ExplorableFigure, html=(slider.visit, slider.depart))
    app.add_post_transform(slider.FigureAsText)
    app.add_node(texts.SizedText, html=(texts.visit, texts.depart))
    app.add_post_transform(texts.SizeTexts)
    app.add_post_transform(strips.Strips)
    app.add_directive("livecell", livecell.LiveCell)
    app.add_directive("explorable", slider.ExplorableDirective)
    app.add_directive("livecells-options", tables.OptionsDirective)
    app.add_directive("livecells-sizes", tables.SizesDirective)
    return {
        "version": __version__,
        "env_version": 1,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
