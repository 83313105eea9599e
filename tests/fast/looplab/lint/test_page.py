"""The page of the rules: its examples are checked, and printed by --explain."""

from __future__ import annotations

import importlib.resources
import inspect
import re

import pytest

from looplab.lint import RULES, check_source
from looplab.lint.explain import about, sections
from tests.fast.looplab.lint.marks import agrees
from tools.common import ROOT

PAGE = ROOT / "book" / "lint_rules.md"
RULES_TEXT = (
    importlib.resources.files("looplab.lint").joinpath("rules.md").read_text("utf-8")
)


def examples() -> list[tuple[str, str, str]]:
    """Section, kind and source of each example."""
    every = []
    parts = re.split(r"^\(([a-z0-9-]+)\)=\n", RULES_TEXT, flags=re.MULTILINE)[1:]
    for label, text in zip(parts[::2], parts[1::2], strict=True):
        for kind, source in re.findall(
            r"^(\w+):\n\n```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL
        ):
            every.append((label, kind, source))
    return every


@pytest.mark.parametrize(("label", "kind", "source"), examples())
def test_an_example_is_reported_as_it_says(label, kind, source):
    compile(source, "example.py", "exec")
    assert len(max(source.split("\n"), key=len)) <= 79
    letter = ("LAG100",) if label == "lag100" else ()
    agrees(source, letter or [code for code in RULES if code != "LAG100"])
    findings = check_source(source, select=RULES)
    named = any(finding.section == label for finding in findings)
    if label != "lag100" or kind == "Before":
        assert named == (kind == "Before")


def test_each_section_has_a_program_before_and_after():
    kinds: dict[str, list[str]] = {}
    for label, kind, _ in examples():
        kinds.setdefault(label, []).append(kind)
    for label, text in sections().items():
        expected = [] if label == "lag101" else ["Before", "After"]
        assert kinds.get(label, []) == expected, label
        assert text.startswith("#")
    for rule in RULES.values():
        words = about(rule.code).lower()
        assert "harmless" in words or "good uses" in words, rule.code


def test_every_section_that_a_finding_can_name_is_there():
    source = "".join(
        path.read_text("utf-8")
        for path in (ROOT / "src" / "looplab" / "lint").rglob("*.py")
    )
    named = set(re.findall(r'"(lag\d{3}(?:-[a-z]+)?)"', source))
    assert named | {code.lower() for code in RULES} == set(sections())


def test_the_text_of_a_section():
    assert about("lag101-await").startswith("### Producers that can wait\n")
    assert "### Producers" in about("LAG101")
    assert about("lint_rules.html#lag303") == about("LAG303")
    assert "{ref}" not in "".join(sections().values())
    with pytest.raises(ValueError, match=r"'LAG999'.*lag101"):
        about("LAG999")


def test_the_page_includes_the_rules_and_lists_them():
    page = PAGE.read_text(encoding="utf-8")
    assert "```{include} ../src/looplab/lint/rules.md" in page
    rows = re.findall(
        r"^\| \{ref\}`(LAG\d+).*\| (yes|no) \|$", RULES_TEXT, re.MULTILINE
    )
    assert rows == [
        (rule.code, "yes" if rule.default else "no") for rule in RULES.values()
    ]


def test_the_other_code_of_the_page_runs():
    text = PAGE.read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(from looplab.*?)```", text, re.DOTALL)
    exec(source, {})


def test_what_an_example_runs_is_a_coroutine():
    for _, _, source in examples():
        space: dict[str, object] = {}
        exec(compile(source, "example.py", "exec"), space)
        assert inspect.iscoroutinefunction(space["main"])


def test_what_the_chapter_says_of_its_first_program():
    chapter = (ROOT / "book" / "05_backpressure.md").read_text("utf-8")
    (pipe,) = re.findall(r":id: pipe\n(.*?)```", chapter, re.DOTALL)

    def codes(source: str) -> list[str]:
        return [finding.code for finding in check_source(source)]

    assert codes(pipe) == ["LAG204", "LAG204"]
    sleeps = r"\n +for _ in range\(\w+_yields\):\n +await asyncio.sleep\(0\)"
    without = re.sub(sleeps, "", pipe)
    assert codes(without) == ["LAG101"]
    assert codes(without.replace("Queue()", "Queue(maxsize=1)")) == []
    first = check_source(without)[0]
    assert "the loop in line" in first.message
