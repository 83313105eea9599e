"""book/_ext/predictions.py: what answers a question is marked, and nothing else."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from predictions import Predictions

Node = nodes.Element


def section(title: str, *blocks: Node) -> nodes.section:
    return nodes.section("", nodes.title(title, title), *blocks)


def dropdown(title: str) -> nodes.container:
    return nodes.container(
        "",
        nodes.rubric(title, title),
        design_component="dropdown",
        has_title=True,
        container_classes=[],
    )


def cell() -> nodes.container:
    return nodes.container("", nb_element="cell_code")


def words(text: str, *classes: str) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.inline(text, text, classes=list(classes)))


def transformed(*sections: nodes.section, page: str = "book/04") -> nodes.document:
    document = new_document("page")
    document += list(sections)
    env = SimpleNamespace(docname=page)
    document.settings.env = env
    Predictions(document).run()
    return document


def foretold(document: nodes.document) -> list[Node]:
    return [n for n in document.findall(nodes.Element) if "foretold" in n["classes"]]


def test_the_next_cell_answers_and_the_figures_after_it() -> None:
    asks, other, answer = dropdown("Predict: how late?"), dropdown("Why?"), cell()
    tells, goes_on = words("1.5", "ours"), words("A semaphore does not yield.")
    late = words("1.6", "published")
    block = section(
        "Storm", asks, words("The cell:"), other, answer, tells, goes_on, late
    )
    document = transformed(block)
    assert foretold(document) == [answer, tells]
    assert asks["container_classes"] == ["predict"]
    assert other["container_classes"] == []


@pytest.mark.parametrize(
    "between",
    [section("Next"), dropdown("Predict: and now?")],
    ids=["section", "question"],
)
def test_a_question_without_an_answer_of_its_own_marks_nothing(between: Node) -> None:
    asks = dropdown("Predict: how late?")
    document = transformed(section("One", asks, between, cell()))
    marked = [] if isinstance(between, nodes.section) else 1
    assert len(foretold(document)) == (marked or 0)
    if marked:
        assert between["container_classes"] == ["predict"]


def test_a_question_in_a_box_is_answered_after_the_box() -> None:
    asks, answer = dropdown("Predict: how late?"), nodes.table()
    document = transformed(section("One", nodes.container("", asks), answer))
    assert foretold(document) == [answer]


def test_a_picture_is_put_into_a_box_that_can_be_hidden() -> None:
    picture = nodes.raw("", "<div><svg></svg></div>", format="html")
    document = transformed(section("One", dropdown("Predict: x?"), picture))
    (box,) = foretold(document)
    assert list(box.children) == [picture]


def test_the_choices_of_a_quiz_are_marked() -> None:
    choice, other = dropdown("4 ms"), dropdown("4 ms")
    transformed(section("Quiz", choice), section("Words", other))
    assert choice["container_classes"] == ["quiz-choice"]
    assert other["container_classes"] == []


def test_labs_are_left_alone() -> None:
    asks = dropdown("Predict: x?")
    assert foretold(transformed(section("One", asks, cell()), page="notebooks/x")) == []
