"""A file of answers as a teacher writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fast.exercises.answer_file import AnswerFileError, changed, read_answer_file

ANSWERS = """# Answers to 01-xa

## The stub

> the dots

## Right answers

### by a sum

```python
b = 0
b += 1
b
```

## Wrong answers

### two

> one too many

```diff
-b = 1
+b = 2
```

### none

> not given

```diff
@@ by a sum
-b += 1
```
"""


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "xa.md"
    path.write_text(ANSWERS)
    return path


def test_the_answers_of_a_file(answers: Path) -> None:
    held = read_answer_file(answers, "b = 1")
    assert held.stub == "the dots"
    assert held.right == {"solution": "b = 1", "by a sum": "b = 0\nb += 1\nb"}
    wrong = {"two": ("b = 2", "one too many"), "none": ("b = 0\nb", "not given")}
    assert held.wrong == wrong


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("## Right answers", "## Answers", "it needs '## The stub'"),
        ("```diff\n-b = 1", "```\n-b = 1", "xa.md has 'two"),
        ("-b = 1", "-b = 3", "xa.md, two: .* stands 0 times in 'solution'"),
        ("### none", "### two", "two answers 'two'"),
    ],
)
def test_a_file_of_answers_that_is_wrong(
    answers: Path, old: str, new: str, words: str
) -> None:
    assert ANSWERS.count(old) == 1
    answers.write_text(ANSWERS.replace(old, new))
    with pytest.raises(AnswerFileError, match=words):
        read_answer_file(answers, "b = 1")


def test_a_change_stands_at_a_place_of_its_own() -> None:
    right = {"solution": "a\nb\na", "other": "1\n2"}
    assert changed(" a\n+c\n b\n@@\n-a", right) == "a\nc\nb"
    assert changed("@@ other\n-1", right) == "2"
    for change in "-a\n+c", "-z\n+c":
        with pytest.raises(ValueError, match=change[1]):
            changed(change, right)
