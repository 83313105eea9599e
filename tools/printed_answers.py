"""Answers, hints and solutions: folded on a page, at the end of a printed document."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from textwrap import shorten

from bs4 import BeautifulSoup, Tag

__all__ = ["Answers", "classes", "fragment", "take_answers", "words"]

# A fold of a lab that begins so holds an answer; others are shown in their place.
ANSWER = re.compile(r"Answer|Hint|Why |Solution|Predict|Show the solution")
ANSWERS = {"answer", "predict", "recall"}  # and on a page, what is of such a class
LONG = 35  # lines of output in a fold; one with more stays on the site


def words(tag: Tag) -> str:
    return " ".join(tag.get_text().split())


def classes(tag: Tag) -> set[str]:
    names = tag.get("class")
    return set(names) if isinstance(names, list) else set()


def leading(target: str, text: str, name: str, shown: str = "") -> str:
    """A link with the page on which its target stands; see :func:`printed.numbered`."""
    return (
        f'<a class="{shown}" id="{name}" href="#{target}">{text}, page '
        f'<span class="number" data-page="{target}">000</span></a>'
    )


@dataclass
class Answers:
    """The folded answers, which stand at the end of the document.

    Attributes:
        pages: for each page its title and the answers, as HTML.
        count: how many there are.
    """

    pages: list[tuple[str, list[str]]] = field(default_factory=list)
    count: int = 0

    def begin(self, title: str) -> None:
        """What follows comes from this page."""
        self.pages.append((title, []))

    def take(self, word: str, question: str, parts: list[str]) -> str:
        """Keep an answer; returns the link that takes its place, as HTML."""
        self.count += 1
        number = self.count
        asked, answer, text = f"asked-{number}", f"answer-{number}", f"{word} {number}"
        self.pages[-1][1].append(
            f'<div class="answer"><p class="answer-number">'
            f"<strong>{leading(asked, text, answer)}</strong> {question}</p>"
            f"{''.join(parts)}</div>"
        )
        return leading(answer, text, asked, "to-answer")

    def html(self) -> str:
        """The last part of the document; empty where nothing was folded."""
        body = "".join(
            f"<h2>{escape(title)}</h2><div>{''.join(texts)}</div>"
            for title, texts in self.pages
            if texts
        )
        if not body:
            return ""
        return (
            '<section class="page answers" id="p-answers">'
            f"<h1>Answers and solutions</h1>{body}</section>"
        )


def fragment(text: str) -> Tag:
    tag = BeautifulSoup(text, "html.parser").find(True)
    assert isinstance(tag, Tag)
    return tag


def take_answers(article: Tag, answers: Answers) -> None:
    """Move the answers of a page to the end, and open all other folds."""
    for tag in article.select(".tag_solution, details"):
        if tag.decomposed:
            continue
        if "tag_solution" in classes(tag):
            _take_solution(tag, answers)
        elif "quiz-choice" in classes(tag):
            _take_choices(tag, answers)
        elif "hide" not in classes(tag):
            _take_fold(tag, answers)


def _take_solution(cell: Tag, answers: Answers) -> None:
    """Move a solution, with the words on why it works below it."""
    parts = [str(code) for code in cell.select(".cell_input")]
    following = cell.find_next_sibling()
    if isinstance(following, Tag) and _summary(following).startswith("Why "):
        parts += _inside(following)
        following.decompose()
    link = answers.take("Solution", escape(_exercise(cell)), parts)
    cell.insert_before(fragment(f"<p>{link}</p>"))
    cell.decompose()


def _exercise(tag: Tag) -> str:
    """The heading that something stands below."""
    heading = tag.find_previous(["h1", "h2", "h3", "h4"])
    return words(heading) if isinstance(heading, Tag) else ""


def _take_choices(first: Tag, answers: Answers) -> None:
    """Make a list of the choices of a question, with one answer to them all."""
    choices = [first]
    for tag in first.find_next_siblings():
        if "quiz-choice" not in classes(tag):
            break
        choices.append(tag)
    options, parts = "", []
    for letter, fold in zip("abcdefgh", choices, strict=False):
        options += f"<li>{_question(fold)}</li>"
        if isinstance(text := fold.p, Tag):
            text.insert(0, fragment(f"<strong>{letter} </strong>"))
        parts += _inside(fold)
    link = answers.take("Answer", "", parts)
    first.insert_before(fragment(f'<ol class="choices" type="a">{options}</ol>'))
    first.insert_before(fragment(f"<p>{link}</p>"))
    for fold in choices:
        fold.decompose()


def _take_fold(fold: Tag, answers: Answers) -> None:
    text = _summary(fold)
    asked = classes(fold) & ANSWERS
    if not asked and (classes(fold) or not ANSWER.match(text)):
        fold["open"] = ""
        lines = sum(words.get_text().count("\n") for words in fold.select("pre"))
        if lines > LONG and not fold.select("details"):
            fold.replace_with(fragment(f"<p>{escape(text)} (on the site)</p>"))
        return
    word = "Hint" if text.startswith("Hint") else "Answer"
    above = fold.find_previous_sibling()
    if asked:
        question = _question(fold)
    elif word == "Answer" and isinstance(above, Tag) and above.name == "p":
        question = escape(shorten(words(above), 100, placeholder=" …"))
    else:
        question = escape(_exercise(fold))
    link = answers.take(word, question, _inside(fold))
    held = f'<p class="question">{question} {link}</p>' if asked else f"<p>{link}</p>"
    fold.insert_before(fragment(held))
    fold.decompose()


def _summary(fold: Tag) -> str:
    summary = fold.find("summary", recursive=False)
    return words(summary) if isinstance(summary, Tag) else ""


def _question(fold: Tag) -> str:
    summary = fold.select_one("summary .sd-summary-text") or fold.find("summary")
    return summary.decode_contents() if isinstance(summary, Tag) else ""


def _inside(fold: Tag) -> list[str]:
    body = fold.select_one(".sd-summary-content") or fold
    return [
        str(part) if isinstance(part, Tag) else escape(str(part))
        for part in body.children
        if getattr(part, "name", None) != "summary"
    ]
