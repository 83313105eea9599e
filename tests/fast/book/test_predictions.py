"""book/_ext/predictions.py: what answers a question is marked, and nothing else."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from predictions import Dropdown, Predictions

Node = nodes.Element


def section(title: str, *blocks: Node) -> nodes.section:
    return nodes.section("", nodes.title(title, title), *blocks)


def dropdown(title: str, **asks: object) -> nodes.container:
    return nodes.container(
        "",
        nodes.rubric(title, title),
        design_component="dropdown",
        has_title=True,
        container_classes=[],
        asks=asks,
    )


def cell(printed: str = "") -> nodes.container:
    shown = nodes.container("", nodes.literal_block(printed, printed))
    return nodes.container("", shown, nb_element="cell_code")


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


def test_the_next_cell_answers_and_what_states_figures_or_the_result() -> None:
    asks = dropdown("Predict: how late?", number=[0, 3, "s"], result=r"\[(\S+),")
    other, answer = dropdown("Why?"), cell("[1.5, 0.0]")
    tells, goes_on = (
        words("1.6", "ours"),
        words("A semaphore does not yield in 11.5 or 1.5.1."),
    )
    result = words("So it is 1.5.")
    block = section("Storm", asks, other, answer, tells, goes_on, result)
    document = transformed(block, section("Next", words("1.5")))
    assert foretold(document) == [answer, tells, result]
    assert asks["container_classes"] == ["predict"]
    assert other["container_classes"] == ["aside"]


def test_each_dropdown_has_the_class_of_its_kind() -> None:
    change = nodes.paragraph("", "", nodes.strong("", "Change"))
    answer, choice, recalled = dropdown("Answer"), dropdown("Two"), dropdown("What?")
    other, bold = dropdown("More"), nodes.paragraph("", "", nodes.strong("", "Run"))
    transformed(
        section("Before you begin", recalled),
        section("Storm", change, answer, bold, other),
        section("Quiz", choice),
    )
    kinds = [
        folded["container_classes"] for folded in (recalled, answer, other, choice)
    ]
    assert kinds == [["recall"], ["answer"], ["aside"], ["quiz-choice"]]


def test_a_question_without_an_answer_of_its_own_marks_what_has_figures() -> None:
    asks, other, answer = dropdown("Predict: x?"), dropdown("Predict: y?"), cell()
    tells, goes_on = words("1.6", "ours"), words("A semaphore does not yield.")
    document = transformed(section("One", asks, goes_on), section("Two", cell()))
    assert foretold(document) == []
    assert foretold(transformed(section("One", asks, tells, other, answer))) == [
        tells,
        answer,
    ]


def test_printed_text_answers_and_code_does_not() -> None:
    code, text = (nodes.literal_block("", "x", language=n) for n in ("python", "text"))
    assert foretold(
        transformed(section("One", dropdown("Predict: x?"), code, text))
    ) == [text]


def test_a_question_in_a_box_is_answered_after_the_box() -> None:
    asks, answer = dropdown("Predict: how late?"), nodes.table()
    document = transformed(section("One", nodes.container("", asks), answer))
    assert foretold(document) == [answer]


def test_a_picture_is_put_into_a_box_that_can_be_hidden() -> None:
    picture = nodes.raw("", "<div><svg></svg></div>", format="html")
    document = transformed(section("One", dropdown("Predict: x?"), picture))
    (box,) = foretold(document)
    assert list(box.children) == [picture]


def test_what_a_guess_is_stands_behind_its_question() -> None:
    asks = dropdown("Predict: x?", choice=["<b>", "no"], right="no")
    transformed(section("One", asks))
    (script,) = asks.parent.findall(nodes.raw)
    script_text = re.fullmatch(r"<script[^>]*>([^<]*)</script>", script.astext())
    assert script_text
    assert json.loads(script_text[1]) == asks["asks"]


def test_a_question_says_what_a_guess_is(caplog: pytest.LogCaptureFixture) -> None:
    transformed(section("One", dropdown("Predict: x?")))
    assert ":number:" in caplog.text
    axis = Dropdown.KINDS["number"]
    assert axis("0.5 to 3,000 items") == [0.5, 3000, "items"]
    for text in ("0 3", "late", "1 to x"):
        with pytest.raises(ValueError, match=f"{text}.*0 to 3 s"):
            axis(text)


def test_labs_are_left_alone() -> None:
    asks = dropdown("Predict: x?")
    assert foretold(transformed(section("One", asks, cell()), page="notebooks/x")) == []
