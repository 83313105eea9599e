"""What a prediction is about stays out of sight until the reader has answered it.

A dropdown whose title begins with *Predict:* asks; the output, table, picture or
printed text that comes next in its section answers.  Both get a class, and the page's
script does the rest: without scripts, and on paper, everything is shown.  A paragraph
that tells the answer in other words is given the class ``foretold`` by its author.  Any
other dropdown gets the class of its kind: a choice of a *Quiz*, a question to recall,
the answer to a *Change*, or an aside.

An option of the dropdown says what a guess is::

    :number: 0 to 3 s         a number on an axis, and its unit
    :order: hello | world     what comes in this order, to be put into it
    :choice: none | *all      one of some; a star stands before the right one

``:result:`` is a pattern for what came out: in the text that the cell printed, in the
table, or in the folded answer.  Its group, if it has one, is what counts, and what
matches several times is several results.  A choice without a star is right if it is
what came out, joined by commas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx_design.dropdown import DropdownDirective
from sphinx_design.shared import is_component

__all__ = ["Predictions"]

logger = logging.getLogger(__name__)

ASKS = "Predict:"
#: What the dropdowns of a section are, by its title.
KINDS = {"Quiz": "quiz-choice", "Before you begin": "recall"}
_WORDS = (nodes.paragraph, nodes.table, nodes.bullet_list, nodes.enumerated_list)
# In the head, so that nothing is seen and then hidden. Should the script itself not
# arrive, everything is shown again.
BEFORE = (
    "document.documentElement.dataset.predictions='';addEventListener('load',()=>{"
    "if(!window.predictionsReady)delete document.documentElement.dataset.predictions})"
)


def _axis(text: str) -> list[Any]:
    axis = re.fullmatch(r"(-?[\d.,]+) to ([\d.,]+) ?(.*)", text)
    if not axis:
        raise ValueError(f"{text!r} is no axis: write its ends, as in 0 to 3 s")
    low, high, unit = axis.groups()
    return [float(low.replace(",", "")), float(high.replace(",", "")), unit]


def _parts(text: str) -> list[str]:
    parts = [part.strip() for part in text.split("|")]
    if len(parts) < 2:
        raise ValueError(f"{text!r} is one thing: write several, as in this | that")
    return parts


class Dropdown(DropdownDirective):
    """A dropdown that may ask for a guess."""

    KINDS: ClassVar[dict[str, Any]] = {
        "number": _axis,
        "order": _parts,
        "choice": _parts,
        "result": directives.unchanged_required,
    }
    option_spec: ClassVar[dict[str, Any]] = {**DropdownDirective.option_spec, **KINDS}

    def run_with_defaults(self) -> list[nodes.Node]:
        """Note on the dropdown what a guess is."""
        asks = {name: self.options[name] for name in self.KINDS if name in self.options}
        if "choice" in asks:
            right = [text[1:] for text in asks["choice"] if text.startswith("*")]
            asks["choice"] = [text.removeprefix("*") for text in asks["choice"]]
            asks.update(zip(["right"], right, strict=False))
        made = super().run_with_defaults()
        made[0]["asks"] = asks  # type: ignore[index]
        return made


class Predictions(SphinxPostTransform):
    """Mark what each dropdown is, and what answers those that ask."""

    default_priority = 150  # before the dropdowns become what they are in HTML
    formats = ("html",)

    def run(self, **options: Any) -> None:
        """Go through the dropdowns of a page."""
        if not self.env.docname.startswith("book/"):
            return
        for folded in filter(_is_dropdown, self.document.findall(nodes.container)):
            folded["container_classes"].append(_kind(folded))
        for asking in list(self.document.findall(nodes.container)):
            if not _asks(asking):
                continue
            _pass_on(asking)
            answer = next(_answers(asking), None)
            if answer:
                _hide(answer)
            for block in _tellings(asking, answer or asking):
                _hide(block)


def _pass_on(asking: nodes.Element) -> None:
    """Put what a guess is where the page's script finds it."""
    if not asking.get("asks"):
        logger.warning(
            "predictions: %r takes no guess: give it :number:, :order: or :choice:",
            asking[0].astext(),
            location=asking,
        )
    asks = json.dumps(asking.get("asks", {})).replace("<", r"\u003c")
    script = f'<script type="application/json">{asks}</script>'
    parent = asking.parent
    parent.insert(parent.index(asking) + 1, nodes.raw("", script, format="html"))


def _kind(folded: nodes.Element) -> str:
    """What a dropdown is to the reader: the class that gives it its form."""
    if _asks(folded):
        return "predict"
    section = folded.parent
    while not isinstance(section, (nodes.section, nodes.document)):
        section = section.parent
    title = section.next_node(nodes.title)
    if title and title.astext() in KINDS:
        return KINDS[title.astext()]
    before = folded.parent[max(0, folded.parent.index(folded) - 1)]
    bold = before.next_node(nodes.strong)
    return "answer" if bold and bold.astext() == "Change" else "aside"


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
    """Whether something is a cell that runs, a table, a picture or printed text."""
    if isinstance(node, nodes.raw):
        return "<svg" in node.astext()
    if isinstance(node, nodes.literal_block):
        return bool(node.get("language") == "text")
    is_cell = node.get("nb_element") == "cell_code"
    return is_cell or isinstance(node, (nodes.table, nodes.figure))


def _tellings(asking: nodes.Element, answer: nodes.Element) -> list[nodes.Element]:
    """What says the answer in words, up to the next question or the section's end.

    It goes on with figures, or states what came out.
    """
    pattern = asking.get("asks", {}).get("result", "")
    printed = [
        node.astext()
        for node in answer.findall(_is_text)
        if node.parent.get("nb_element") != "cell_code_source"
    ]
    results = {
        "".join(match.groups()) or match[0]
        for match in (re.finditer(pattern, "\n".join(printed), re.M) if pattern else ())
    }
    any_of = "|".join(map(re.escape, results))
    states = re.compile(rf"(?<![\w.,])({any_of})(?!\w|[.,]\d)")
    telling: list[nodes.Element] = []
    parent = answer.parent
    for after in parent[parent.index(answer) + 1 :]:
        if isinstance(after, nodes.section) or any(map(_asks, after.findall())):
            break
        figures = after.findall(
            lambda node: (
                isinstance(node, nodes.inline)
                and {"ours", "published"} & set(node["classes"])
            )
        )
        if isinstance(after, _WORDS) and (
            any(figures) or (results and states.search(after.astext()))
        ):
            telling.append(after)
    return telling


def _is_text(node: nodes.Node) -> bool:
    return isinstance(node, (nodes.literal_block, nodes.table))


def _hide(node: nodes.Element) -> None:
    if isinstance(node, nodes.raw):
        picture = nodes.container()
        node.replace_self(picture)
        picture += node
        node = picture
    node["classes"].append("foretold")


def setup(app: Any) -> dict[str, bool]:
    """Register the transform, the script and its style."""
    app.setup_extension("sphinx_design")
    app.add_directive("dropdown", Dropdown, override=True)
    app.add_post_transform(Predictions)
    app.add_js_file(None, body=BEFORE, priority=100)
    app.add_js_file("scripts/predictions.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
