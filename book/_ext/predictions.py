"""What a prediction is about stays out of sight until the reader has answered it.

A dropdown whose title begins with *Predict:* asks; the output, table or picture that
comes next in its section answers.  Both get a class, and the page's script does the
rest: without scripts, and on paper, everything is shown.  A choice of a *Quiz* gets a
class as well, so that it can look chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.shared import is_component

__all__ = ["Predictions"]

ASKS = "Predict:"
# In the head, so that nothing is seen and then hidden. Should the script itself not
# arrive, everything is shown again.
BEFORE = (
    "document.documentElement.dataset.predictions='';addEventListener('load',()=>{"
    "if(!window.predictionsReady)delete document.documentElement.dataset.predictions})"
)


class Predictions(SphinxPostTransform):
    """Mark what asks, what answers, and the choices of a quiz."""

    default_priority = 150  # before the dropdowns become what they are in HTML
    formats = ("html",)

    def run(self, **options: Any) -> None:
        """Go through the dropdowns of a page."""
        if not self.env.docname.startswith("book/"):
            return
        for section in self.document.findall(nodes.section):
            if section.next_node(nodes.title).astext() == "Quiz":
                for choice in section.findall(_is_dropdown):
                    choice["container_classes"].append("quiz-choice")
        for asking in list(self.document.findall(nodes.container)):
            if not _asks(asking):
                continue
            asking["container_classes"].append("predict")
            answer = next(_answers(asking), None)
            if answer is None:
                continue
            _hide(answer)
            for told in _tellings(answer):
                _hide(told)


def _is_dropdown(node: nodes.Node) -> bool:
    return bool(is_component(node, "dropdown"))


def _asks(node: nodes.Node) -> bool:
    return (
        _is_dropdown(node)
        and node.get("has_title")
        and node[0].astext().startswith(ASKS)
    )


def _answers(asking: nodes.Element) -> Iterator[nodes.Element]:
    """What comes after a question and may answer it, up to the next one."""
    node: nodes.Element = asking
    while not isinstance(node, (nodes.section, nodes.document)):
        parent = node.parent
        for after in parent[parent.index(node) + 1 :]:
            if isinstance(after, nodes.section) or any(map(_asks, after.findall())):
                return
            yield from filter(_is_answer, after.findall(nodes.Element))
        node = parent


def _is_answer(node: nodes.Element) -> bool:
    """Whether something is a cell that runs, a table or a picture."""
    if isinstance(node, nodes.raw):
        return "<svg" in node.astext()
    is_cell = node.get("nb_element") == "cell_code"
    return is_cell or isinstance(node, (nodes.table, nodes.figure))


def _tellings(answer: nodes.Element) -> list[nodes.Element]:
    """What follows an answer and goes on with figures: it says the answer in words."""
    found: list[nodes.Element] = []
    parent = answer.parent
    for after in parent[parent.index(answer) + 1 :]:
        figures = after.findall(
            lambda node: (
                isinstance(node, nodes.inline)
                and {"ours", "published"} & set(node["classes"])
            )
        )
        if not isinstance(after, (nodes.paragraph, nodes.table)) or not any(figures):
            break
        found.append(after)
    return found


def _hide(node: nodes.Element) -> None:
    if isinstance(node, nodes.raw):
        picture = nodes.container()
        node.replace_self(picture)
        picture += node
        node = picture
    node["classes"].append("foretold")


def setup(app: Any) -> dict[str, bool]:
    """Register the transform, the script and its style."""
    app.add_post_transform(Predictions)
    app.add_js_file(None, body=BEFORE, priority=100)
    app.add_js_file("scripts/predictions.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
