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
each_package = pytest.mark.parametrize("name", PACKAGES)


def project(name: str) -> dict[str, Any]:
    text = (ROOT / "src" / name / "pyproject.toml").read_text("utf-8")
    return dict(tomllib.loads(text)["project"])


# Versions


@each_package
def test_a_package_has_a_readme_and_a_changelog_of_its_version(name: str) -> None:
    folder, version = ROOT / "src" / name, project(name)["version"]
    assert (folder / "README.md").read_text("utf-8").startswith(f"# {name}\n")
    changes = (folder / "CHANGELOG.md").read_text("utf-8")
    newest = re.findall(r"^## (\S+)", changes, re.MULTILINE)[0]
    assert newest == version
    source = (folder / "__init__.py").read_text("utf-8")
    assert re.findall(r'^__version__ = "(.*)"', source, re.MULTILINE) in ([], [version])


@each_package
def test_a_package_says_what_the_others_say(name: str) -> None:
    ours, first = project(name), project(PACKAGES[0])
    for key in ("requires-python", "license", "authors", "readme"):
        assert ours[key] == first[key], key
    pythons = [c for c in first["classifiers"] if "Python :: 3." in c]
    assert [c for c in ours["classifiers"] if "Python :: 3." in c] == pythons


# Citation


def test_the_citation() -> None:
    """By the rules of the Citation File Format 1.2.0 for the fields that we use."""
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    cite = yaml.load(text, yaml.BaseLoader)
    assert {"cff-version", "message", "title", "authors"} <= cite.keys()
    optional = {"abstract", "type", "version", "license", "keywords"}
    assert cite.keys() - {"cff-version", "message", "title", "authors"} <= optional
    assert cite["cff-version"] == "1.2.0"
    assert cite["type"] in ("software", "dataset")
    assert all(author.keys() == {"name"} for author in cite["authors"])
    assert len(set(cite["keywords"])) == len(cite["keywords"])
    assert cite["version"] == project("ontime")["version"]
    assert cite["authors"] == project("ontime")["authors"]
    assert cite["license"] == ["MIT", "CC-BY-4.0"]


# Workflows


def workflow(path: Path) -> dict[str, Any]:
    return dict(yaml.load(path.read_text("utf-8"), yaml.BaseLoader))


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in workflow(path)["jobs"].values() for step in job["steps"]]


@each
def test_a_workflow_has_few_rights_and_ends(path: Path) -> None:
    whole = workflow(path)
    assert whole.keys() <= {"name", "on", "permissions", "concurrency", "jobs"}
    assert whole["permissions"] == {"contents": "read"}
    assert whole["on"]
    for job in whole["jobs"].values():
        assert job["runs-on"] == "ubuntu-latest"
        assert 0 < int(job["timeout-minutes"]) <= 360
        needs = job.get("needs", [])
        assert {needs} if isinstance(needs, str) else set(needs) <= whole["jobs"].keys()
    for step in steps(path):
        assert ("uses" in step) != ("run" in step)
        assert re.fullmatch(
            r"[\w-]+/[\w-]+(/\w+)?@(v\d+|release/v1)", step.get("uses", "a/b@v1")
        )
        # What somebody else can write, such as a tag, is no part of a program.
        assert "${{" not in step.get("run", "")


@each
def test_a_workflow_runs_what_is_there(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for step in steps(path):
        for target in re.findall(r"\bmake (\w+)", step.get("run", "")):
            assert re.search(rf"^(\w+ )*{target}( \w+)*:", makefile, re.MULTILINE)
        for script in re.findall(r"^bash (\S+)", step.get("run", "")):
            assert (ROOT / script).is_file()


def test_the_pythons_are_those_of_the_packages() -> None:
    jobs = workflow(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
    pythons = jobs["packages"]["strategy"]["matrix"]["python"]
    prefix = "Programming Language :: Python :: "
    stated = [c.removeprefix(prefix) for c in project("looplab")["classifiers"]]
    assert pythons == [word for word in stated if word.startswith("3.")]


def test_a_tag_for_each_package() -> None:
    path = ROOT / ".github" / "workflows" / "packages.yml"
    assert workflow(path)["on"] == {"push": {"tags": [f"{n}-v*" for n in PACKAGES]}}


# Tried on


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
