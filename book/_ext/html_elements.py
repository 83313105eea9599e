"""A docutils node that is one HTML element, for tables docutils cannot draw.

Docutils writes no ``scope`` on header cells and no ``data-`` attributes, and
both are needed for a table that a screen reader can follow and that folds into
cards on a narrow screen. A table made of these nodes keeps its text in the
document tree, so that search and cross-references (citations) still work.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes


class Html(nodes.General, nodes.TextElement):
    """One HTML element: ``Html("td", "text", scope="row", classes=["x"])``."""


def element(
    tag: str,
    *children: str | nodes.Node,
    classes: tuple[str, ...] = (),
    ids: str = "",
    **attributes: str,
) -> Html:
    """Make an HTML element; strings among the children become text.

    ``ids`` is the id, if any. Attribute names may use ``_`` where HTML has ``-``
    (``data_label``).
    """
    node = Html(tag=tag, classes=list(classes), ids=ids.split())
    node["html"] = {
        name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()
    }
    for child in children:
        node += nodes.Text(child) if isinstance(child, str) else child
    return node


def visit_html(self: Any, node: Html) -> None:
    self.body.append(self.starttag(node, node["tag"], "", **node["html"]))


def depart_html(self: Any, node: Html) -> None:
    self.body.append(f"</{node['tag']}>\n")


def add_html_node(app: Any) -> None:
    """Register the node."""
    app.add_node(Html, html=(visit_html, depart_html))
