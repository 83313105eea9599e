"""What is published: citation, workflows, versions, and where it was tried."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.common import ROOT

PACKAGES = ("looplab", "ontime", "livecells")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
each = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def project(name: str) -> dict[str, Any]:
    text = (ROOT / "src" / name / "pyproject.toml").read_text("utf-8")
    return dict(tomllib.loads(text)["project"])


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_has_a_changelog_of_its_version(name: str) -> None:
    folder, ours, first = ROOT / "src" / name, project(name), project(PACKAGES[0])
    changes = (folder / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## (\S+)", changes, re.MULTILINE)[0] == ours["version"]
    source = (folder / "__init__.py").read_text("utf-8")
    stated = re.findall(r'^__version__ = "(.*)"', source, re.MULTILINE)
    assert stated in ([], [ours["version"]])
    for key in ("requires-python", "license", "authors"):
        assert ours[key] == first[key], key


def test_the_citation_is_that_of_the_course() -> None:
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    cite, course = yaml.load(text, yaml.BaseLoader), project("ontime")
    assert (cite["version"], cite["authors"]) == (course["version"], course["authors"])
    assert cite["license"] == ["MIT", "CC-BY-4.0"]


def workflow(path: Path) -> dict[str, Any]:
    return dict(yaml.load(path.read_text("utf-8"), yaml.BaseLoader))


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in workflow(path)["jobs"].values() for step in job["steps"]]


@each
def test_a_workflow_has_few_rights_and_runs_what_is_there(path: Path) -> None:
    assert workflow(path)["permissions"] == {"contents": "read"}
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for step in steps(path):
        command = step.get("run", "")
        # What somebody else can write, such as a tag, is no part of a program.
        assert "${{" not in command
        for target in re.findall(r"\bmake (\w+)", command):
            assert re.search(rf"^(\w+ )*{target}( \w+)*:", makefile, re.MULTILINE)
        for script in re.findall(r"^bash (\S+)", command):
            assert (ROOT / script).is_file()


def test_the_pythons_are_those_of_the_packages() -> None:
    jobs = workflow(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
    pythons = jobs["packages"]["strategy"]["matrix"]["python"]
    prefix = "Programming Language :: Python :: "
    for name in PACKAGES:
        stated = [c.removeprefix(prefix) for c in project(name)["classifiers"]]
        assert pythons == [word for word in stated if word.startswith("3.")]


def test_the_table_of_pythons_is_what_the_records_say() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    table = readme.partition("## Tried on")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (3\.\d+) \| (\S+), (\S+) \|.*\| `(\S+)` \|$", table, re.M)
    assert len(rows) == 5
    for python, system, _, file in rows:
        text = (ROOT / file).read_text("utf-8")
        versions = re.findall(r"(?:Python |\"python\": \")(3\.\d+\.\d+)", text)
        assert system in text
        assert any(version.startswith(f"{python}.") for version in versions), file
