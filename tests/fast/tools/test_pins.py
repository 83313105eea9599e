"""The lists of packages agree, the locks pin each of them; an old Python is told."""

from __future__ import annotations

import re
import tomllib

import pytest

from tools import run
from tools.common import ROOT


def names(text: str) -> set[str]:
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    return {re.split(r"[=<>;\[ ]", line)[0].lower() for line in lines if line}


def test_the_groups_the_extras_and_the_pins_name_the_same_packages() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    wanted = names("\n".join(line for group in groups.values() for line in group))
    course = tomllib.loads((ROOT / "src/ontime/pyproject.toml").read_text())["project"]
    extras = course["optional-dependencies"]
    parts = ["\n".join(extras[name]) for name in extras if name != "all"]
    wanted |= names("\n".join(parts))
    wanted |= names("\n".join(course["dependencies"])) - {"looplab"}
    assert wanted == names((ROOT / "requirements.in").read_text())
    assert set(re.findall(r"\w+", extras["all"][0])) - {"ontime"} == set(extras) - {
        "all"
    }


def test_the_lock_holds_every_pin_and_no_address() -> None:
    lock = (ROOT / "requirements.txt").read_text()
    locked = {line.split(" ;")[0] for line in lock.splitlines()}
    direct = (ROOT / "requirements.in").read_text().splitlines()
    assert {line.split(" ;")[0] for line in direct if line and line[0] != "#"} <= locked
    for line in lock.splitlines():
        if not line.startswith("#"):
            assert re.fullmatch(r"[a-z0-9._-]+==[\w.]+( ; [^/]+)?", line), line


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 8, 1), (3, 10, 14)])
def test_an_old_python_is_named_with_the_fix(version: tuple[int, ...]) -> None:
    complaint = run.complaint(version, "/usr/bin/python3")
    for word in (f"python3 is Python {version[0]}.{version[1]}", "3.11", "PYTHON="):
        assert word in complaint
    assert run.complaint((3, 11, 0), "python3") is None
