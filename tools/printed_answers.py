"""Answers, hints and solutions: folded on a page, at the end of a printed document."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape

from bs4 import BeautifulSoup, Tag

__all__ = ["Answers", "classes", "fragment", "take_answers", "words"]

# A fold that begins so holds an answer; others are shown in their place.
ANSWER = re.compile(r"Answer|Hint|Why |Solution|Predict|Show the solution")


def words(tag: Tag) -> str:
    return " ".join(tag.get_text().split())


def classes(tag: Tag) -> set[str]:
    names = tag.get("class")
    return set(names) if isinstance(names, list) else set()


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
        back = f'<a href="#asked-{number}">{word} {number}</a>'
        asked = f" {question}" if question else ""
        body = "".join(parts)
        self.pages[-1][1].append(
            f'<div class="answer" id="answer-{number}"><p class="answer-number">'
            f"<strong>{back}</strong>{asked}</p>{body}</div>"
        )
        return (
            f'<a class="to-answer" id="asked-{number}" href="#answer-{number}">'
            f"{word} {number}</a>"
        )

    def html(self) -> str:
        """The last part of the document; empty where nothing was folded."""
        body = "".join(
            f"<h2>{escape(title)}</h2>{''.join(texts)}"
            for title, texts in self.pages
            if texts
        )
        if not body:
            return ""
        return (
            '<section class="page answers" id="answers">'
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
        elif "hide" not in classes(tag):
            _take_fold(tag, answers)


def _take_solution(cell: Tag, answers: Answers) -> None:
    """Move a solution, with the words on why it works below it."""
    parts = [str(code) for code in cell.select(".cell_input")]
    following = cell.find_next_sibling()
    if isinstance(following, Tag) and _summary(following).startswith("Why "):
        parts += _inside(following)
        following.decompose()
    link = answers.take("Solution", _exercise(cell), parts)
    cell.insert_before(fragment(f"<p>{link}</p>"))
    cell.decompose()


def _exercise(tag: Tag) -> str:
    """The heading that something stands below."""
    heading = tag.find_previous(["h1", "h2", "h3", "h4"])
    return escape(words(heading)) if isinstance(heading, Tag) else ""


def _take_fold(fold: Tag, answers: Answers) -> None:
    text = _summary(fold)
    quiz = fold.find_parent(id=re.compile("(^|--)quiz$")) is not None
    if not (quiz or ANSWER.match(text) or text.endswith("?")):
        fold["open"] = ""
        return
    word = "Hint" if text.startswith("Hint") else "Answer"
    if quiz or "sd-dropdown" in classes(fold):
        question = _question(fold)
        link = answers.take(word, question, _inside(fold))
        held = f'<p class="question">{question} {link}</p>'
    else:
        # A lab asks in the paragraph above, which stays where it is.
        above = fold.find_previous_sibling()
        asks = isinstance(above, Tag) and above.name == "p"
        if word == "Hint":
            question = _exercise(fold)
        else:
            question = escape(words(above)) if asks and isinstance(above, Tag) else ""
        held = f"<p>{answers.take(word, question, _inside(fold))}</p>"
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
