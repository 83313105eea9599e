"""The plugin in a real flake8, and that it says what the command says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from looplab.lint import check_source
from tools.common import ROOT

pytest.importorskip("flake8")

BAD = "import asyncio\nq = asyncio.Queue()\n"
POLLS = "import asyncio\nasync def f():\n    while x: await asyncio.sleep(0)\n"
STRAIGHT = "import asyncio\n\n\nasync def f():\n    await asyncio.sleep(0)\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that makes Python believe looplab is installed: its entry points.

    They are those of pyproject.toml, so this does not depend on what is installed.
    """
    project = tomllib.loads(
        (ROOT / "src/looplab/pyproject.toml").read_text(encoding="utf-8")
    )
    folder = tmp_path_factory.mktemp("site")
    facts = folder / "looplab-0.0.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: looplab\nVersion: 0.0.0\n", encoding="utf-8"
    )
    lines = []
    for group, names in project["project"]["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {where}" for name, where in names.items())]
    (facts / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def environ(installed):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return kept | {"PYTHONPATH": os.pathsep.join([str(installed), str(ROOT / "src")])}


@pytest.fixture
def flake8(tmp_path, environ):
    """Run flake8 in a folder of its own; the places and codes of our findings."""
    (tmp_path / ".flake8").write_text("[flake8]\nselect = LAG\n", encoding="utf-8")

    def run(*words, **options):
        done = subprocess.run(
            [sys.executable, "-m", "flake8", *words],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            **options,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert done.stderr == "", done.stderr
        lines = done.stdout.replace("./", "").splitlines()
        assert done.returncode == bool(lines)
        return [re.sub(r"(LAG\d+|E\d+) .*", r"\1", line) for line in lines]

    return run


def write(folder, name, text=BAD):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def config(folder, *lines):
    text = "\n".join(["[flake8]", *lines, ""])
    (folder / ".flake8").write_text(text, encoding="utf-8")


def test_flake8_knows_the_plugin(environ):
    words = [sys.executable, "-m", "flake8", "--version"]
    done = subprocess.run(
        words, env=environ, capture_output=True, text=True, check=True
    )
    assert "looplab: 0.0.0" in done.stdout
    words[-1] = "--help"
    done = subprocess.run(
        words, env=environ, capture_output=True, text=True, check=True
    )
    for option in ("--lag-include-tests", "--lag-exempt", "--lag-extend-exempt"):
        assert option in done.stdout
    assert "tests/,testing/,test_*.py,*_test.py,conftest.py" in re.sub(
        r"\s", "", done.stdout
    )


def test_findings(flake8, tmp_path):
    write(tmp_path, "a.py", BAD + POLLS + STRAIGHT)
    assert flake8() == ["a.py:2:5: LAG101", "a.py:5:20: LAG201"]


def test_without_any_configuration(flake8, tmp_path):
    (tmp_path / ".flake8").unlink()
    write(tmp_path, "a.py")
    assert flake8() == ["a.py:2:5: LAG101"]


def test_standard_input(flake8):
    assert flake8("-", input=BAD) == ["stdin:2:5: LAG101"]
    name = "--stdin-display-name=tests/a.py"
    assert flake8(name, "-", input=BAD) == []


def test_several_processes_say_the_same(flake8, tmp_path):
    for number in range(6):
        write(tmp_path, f"a{number}.py", BAD + POLLS)
        write(tmp_path, f"tests/b{number}.py")
    config(tmp_path, "select = LAG", "lag-extend-exempt = a5.py")
    one = flake8("--jobs=1")
    assert len(one) == 10
    assert flake8("--jobs=2") == one


def test_comments_silence(flake8, tmp_path):
    write(tmp_path, "a.py", "import asyncio\nq = asyncio.Queue()  # noqa: LAG101\n")
    write(tmp_path, "b.py", "import asyncio\nq = asyncio.Queue()  # noqa: E501\n")
    write(tmp_path, "c.py", "# flake8: noqa\n" + BAD)
    assert flake8() == ["b.py:2:5: LAG101"]
    assert len(flake8("--disable-noqa")) == 3


def test_flake8s_own_choice_of_rules(flake8, tmp_path):
    write(tmp_path, "a.py", BAD + POLLS)
    write(tmp_path, "b.py", BAD)
    assert flake8("--ignore=LAG1") == ["a.py:5:20: LAG201"]
    assert flake8("--extend-ignore=LAG") == []
    assert flake8("--select=LAG2") == ["a.py:5:20: LAG201"]
    config(tmp_path, "select = LAG", "per-file-ignores =", "    a.py:LAG101,LAG201")
    assert flake8() == ["b.py:2:5: LAG101"]


@pytest.mark.parametrize(
    "lines",
    [
        ["select = LAG"],
        ["select = E9,LAG"],
        ["extend-select = LAG2"],
        ["ignore = E,W,F"],  # which does away with all defaults
        ["extend-ignore = E,W,F"],
        [],
    ],
)
def test_lag202_is_off_unless_it_is_named(flake8, tmp_path, lines):
    write(tmp_path, "a.py", STRAIGHT)
    config(tmp_path, *lines)
    assert flake8() == []


@pytest.mark.parametrize("line", ["select = LAG,LAG202", "extend-select = LAG202"])
def test_lag202_is_on_when_it_is_named(flake8, tmp_path, line):
    write(tmp_path, "a.py", STRAIGHT)
    config(tmp_path, line)
    assert flake8() == ["a.py:5:11: LAG202"]


def test_tests_are_exempt(flake8, tmp_path):
    for name in ("tests/a.py", "test_b.py", "c_test.py", "sub/conftest.py", "d.py"):
        write(tmp_path, name)
    assert flake8() == ["d.py:2:5: LAG101"]
    assert flake8("tests/a.py", "test_b.py") == []
    assert len(flake8("--lag-include-tests")) == 5
    config(tmp_path, "select = LAG", "lag-include-tests = true")
    assert len(flake8()) == 5
    config(tmp_path, "select = LAG", "lag_extend_exempt = d.py")
    assert flake8() == []
    config(tmp_path, "select = LAG", "lag-exempt =", "    sub/", "    d.py,")
    assert flake8() == [
        "c_test.py:2:5: LAG101",
        "test_b.py:2:5: LAG101",
        "tests/a.py:2:5: LAG101",
    ]


def test_what_flake8_cannot_read_is_flake8s_to_say(flake8, tmp_path):
    config(tmp_path, "select = LAG,E9")
    write(tmp_path, "bad.py", "def f(:\n")
    write(tmp_path, "good.py")
    assert flake8() == ["bad.py:1:8: E999", "good.py:2:5: LAG101"]


def test_columns_count_characters(flake8, tmp_path):
    text = "import asyncio\nx = 'ééé€', asyncio.Queue()\n"
    write(tmp_path, "a.py", "\ufeff" + text)
    assert flake8() == ["a.py:2:13: LAG101"]
    (finding,) = check_source(text)
    assert (finding.line, finding.column) == (2, 13)


LINES = st.sampled_from(
    [
        "import asyncio",
        "from asyncio import Queue, sleep",
        "import queue as asyncio",
        "q = asyncio.Queue()",
        "q = asyncio.Queue()  # noqa",
        "q = 'é', Queue(0)  # noqa: E1, LAG101",
        "q = (Queue(), '''",
        "''')  # noqa: LAG101",
        "q = Queue(), \\",
        "  1  # noqa",
        "async def f():",
        "    while x:",
        "        await sleep(0)",
        "        await asyncio.sleep(0)  # noqa: LAG201",
        "        await g()",
        "class Jobs(Queue): ...",
        "Jobs()",
        "# flake8: noqa",
        "",
    ]
)
SOURCES = st.lists(
    st.lists(LINES, max_size=12).map("\n".join), min_size=20, max_size=40, unique=True
)


@settings(
    max_examples=5,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(SOURCES, st.booleans())
def test_the_plugin_and_the_command_agree(tmp_path_factory, environ, sources, noqa):
    folder = tmp_path_factory.mktemp("agree")
    for number, source in enumerate(sources):
        write(folder, f"a{number:02}.py", source)
    more = [] if noqa else ["--disable-noqa"]
    rules = "--select=LAG,LAG202"

    def run(*words):
        words = [sys.executable, "-m", *words, "--isolated", rules, *more, "."]
        return subprocess.run(
            words, cwd=folder, env=environ, capture_output=True, text=True, check=False
        ).stdout

    theirs = run("flake8", "--jobs=1").replace("./", "").splitlines()
    data = json.loads(run("looplab.lint", "--format=json"))
    ours = [
        "{path}:{line}:{column}: {code} {message} [{section}]".format(**one)
        for one in data["findings"]
    ]
    # Sources that do not parse have no findings in either.
    assert sorted(ours) == sorted(theirs)
