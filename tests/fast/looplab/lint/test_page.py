"""The page of the rules: its examples are checked, run, and printed by --explain."""

from __future__ import annotations

import asyncio
import importlib.resources
import inspect
import re

import pytest

from looplab.lint import RULES, check_source
from looplab.lint.explain import about, sections
from tests.fast.looplab.lint.marks import found, marked
from tools.common import ROOT

PAGE = ROOT / "book" / "lint_rules.md"
RULES_TEXT = (
    importlib.resources.files("looplab.lint").joinpath("rules.md").read_text("utf-8")
)
KINDS = ("Before", "After", "Silent")


def examples() -> list[tuple[str, str, str]]:
    """Section, kind and source of each example."""
    out = []
    parts = re.split(r"^\(([a-z0-9-]+)\)=\n", RULES_TEXT, flags=re.MULTILINE)[1:]
    for label, text in zip(parts[::2], parts[1::2], strict=True):
        for kind, source in re.findall(
            r"^(\w+):\n\n```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL
        ):
            assert kind in KINDS
            out.append((label, kind, source))
    return out


@pytest.mark.parametrize(("label", "kind", "source"), examples())
def test_an_example_is_reported_as_it_says(label, kind, source):
    compile(source, "example.py", "exec")
    assert len(max(source.split("\n"), key=len)) <= 79
    assert found(source) - marked(source) == set() == marked(source) - found(source)
    mine = [one for one in check_source(source, select=RULES) if one.section == label]
    assert bool(mine) == (kind != "After")


def run(source: str) -> int:
    space: dict[str, object] = {}
    exec(compile(source, "example.py", "exec"), space)
    main = space["main"]
    assert inspect.iscoroutinefunction(main)
    return asyncio.run(asyncio.wait_for(main(), 600))


def test_each_section_has_what_it_promises():
    kinds: dict[str, list[str]] = {}
    for label, kind, _ in examples():
        kinds.setdefault(label, []).append(kind)
    for label, text in sections().items():
        if label in ("lag101", "lag102") or label.startswith("lag102-"):
            assert set(kinds.get(label, ())) <= {"Silent"}
        else:
            assert kinds[label] == ["Before", "After"], label
        assert text.startswith("#")
    for rule in RULES.values():
        assert rule.code.lower() in sections()
        if rule.code != "LAG102":  # which is off, and says of each why it is harmless
            words = about(rule.code).lower()
            assert "harmless" in words or "good uses" in words, rule.code


def test_every_section_that_a_finding_can_name_is_there():
    source = "".join(
        path.read_text("utf-8")
        for path in (ROOT / "src" / "looplab" / "lint").glob("*.py")
    )
    named = set(re.findall(r'"(lag\d{3}(?:-[a-z]+)?)"', source))
    assert len(named) > 15
    assert named <= set(sections())
    assert set(sections()) - named <= {code.lower() for code in RULES}


def test_the_text_of_a_section():
    text = about("lag101-await")
    assert text.startswith("### Producers that await put()\n")
    assert "### put_nowait()" not in text
    assert "### put_nowait()" in about("LAG101")
    assert "{ref}" not in "".join(sections().values())
    with pytest.raises(ValueError, match="there is no 'LAG999' to explain: there are"):
        about("LAG999")


def test_the_page_includes_the_rules_and_lists_them():
    page = PAGE.read_text(encoding="utf-8")
    assert "```{include} ../src/looplab/lint/rules.md" in page
    for rule in RULES.values():
        (row,) = [
            line
            for line in page.split("\n")
            if line.startswith(f"| {{ref}}`{rule.code}")
        ]
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        severity = "error or warning" if rule.code == "LAG101" else rule.severity
        assert cells[2:] == [severity, "yes" if rule.default else "no"]
        assert f"({rule.code.lower()})=\n## {rule.code}: " in RULES_TEXT


def test_the_other_code_of_the_page_runs():
    text = PAGE.read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(from looplab.*?)```", text, re.DOTALL)
    exec(source, {})
