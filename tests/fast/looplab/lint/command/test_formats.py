"""What users of linters expect: formats, statistics, explanations."""

from __future__ import annotations

import json
import re
import sys

from looplab.lint import command
from looplab.lint.paths import EXEMPT
from tests.fast.looplab.lint.command.runs import BAD, POLLS, STRAIGHT, settings, write
from tools.common import ROOT

PAGE = ROOT / "book" / "lint_rules.md"


def test_explain(lint):
    run = lint("--explain", "LAG201")
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith("## LAG201: polling with sleep(0)\n")
    assert lint("--explain", "lag101-await").out.startswith("### Producers that await")
    run = lint("--explain", "E501")
    assert (run.status, run.out) == (2, "")
    assert "there is no 'E501' to explain: there are lag101, " in run.err


def test_statistics(lint):
    write("a.py", BAD * 11 + POLLS)
    assert lint("a.py", "--statistics").out.splitlines()[-2:] == [
        "11  LAG101  channel that can grow without limit",
        " 1  LAG201  polling with sleep(0)",
    ]
    write("b.py", "")
    assert lint("b.py", "--statistics").out == ""


def test_exit_zero(lint):
    write("a.py")
    run = lint("a.py", "--exit-zero")
    assert (run.status, len(run.places)) == (0, 1)
    assert lint("a.py", "none.py", "--exit-zero").status == 2


def test_per_file_ignores(lint):
    write("a.py", BAD + POLLS)
    write("sub/b.py", BAD + POLLS)

    def places(*words):
        return [re.sub(":.*:", "", one) for one in lint(".", *words).places]

    every = ["a.py LAG101", "a.py LAG201", "sub/b.py LAG101", "sub/b.py LAG201"]
    assert places() == every
    assert places("--per-file-ignores", "sub/:LAG101,LAG2") == every[:2]
    assert places(
        "--per-file-ignores", "a.py:LAG1", "--per-file-ignores", "b.py:LAG2"
    ) == [every[1], every[2]]
    settings('per-file-ignores = { "a.py" = ["LAG201"], "sub/*.py" = ["LAG"] }')
    assert places() == [every[0]]
    for words in ("a.py", "a.py:", ":LAG101", "a.py:E501"):
        run = lint(".", "--per-file-ignores", words)
        assert (run.status, run.out) == (2, "")


def test_github(lint):
    write("a,b:c%.py", "import asyncio\nq = asyncio.Queue()\n")
    run = lint("a,b:c%.py", "none.py", "--format", "github")
    assert run.status == 2
    first, second = run.out.splitlines()
    assert first.startswith(
        "::warning file=a%2Cb%3Ac%25.py,line=2,endLine=2,col=5,endColumn=20,"
        "title=LAG101 lag101-elsewhere::LAG101 asyncio.Queue() has"
    )
    assert second == (
        "::error file=none.py,line=1,title=not checked::there is no such file or folder"
    )
    write("good.py", "")
    assert lint("good.py", "--format", "github").out == ""


def test_sarif(lint):
    write("a b/é.py", "import asyncio\nx = '€', asyncio.Queue()\n")
    write("bad.py", "def f(:\n")
    run = lint(".", "--format", "sarif")
    assert run.status == 2
    log = json.loads(run.out)
    assert log["version"] == "2.1.0"
    (one,) = log["runs"]
    rules = one["tool"]["driver"]["rules"]
    (result,) = one["results"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "LAG101"
    assert result["level"] == "warning"
    assert result["properties"]["section"] == "lag101-elsewhere"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20b/%C3%A9.py"
    assert place["region"] == {
        "startLine": 2,
        "startColumn": 10,
        "endLine": 2,
        "endColumn": 25,
    }
    # What the schema of 2.1.0 asks for.
    assert set(log) == {"$schema", "version", "runs"}
    assert log["$schema"].endswith("sarif-2.1.0.json")
    assert one["tool"]["driver"]["name"]
    assert one["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["shortDescription"]["text"]
        level = rule["defaultConfiguration"]["level"]
        assert level in ("none", "note", "warning", "error")
    assert result["level"] in ("none", "note", "warning", "error")
    assert result["message"]["text"]
    (invocation,) = one["invocations"]
    for notification in invocation["toolExecutionNotifications"]:
        assert notification["message"]["text"]
    assert invocation["executionSuccessful"] is False
    assert len(invocation["toolExecutionNotifications"]) == 1


def test_all_formats_say_the_same(lint):
    for name in ("a.py", "b.py"):
        write(name, BAD + POLLS + STRAIGHT)
    more = ("--extend-select", "LAG202")
    text = len(lint(".", *more).places)
    data = json.loads(lint(".", "--format", "json", *more).out)
    log = json.loads(lint(".", "--format", "sarif", *more).out)
    lines = lint(".", "--format", "github", *more).out.splitlines()
    assert len(data["findings"]) == len(log["runs"][0]["results"]) == len(lines) == text
    assert data["summary"]["by_code"] == {"LAG101": 2, "LAG201": 2, "LAG202": 2}
    for one in data["findings"]:
        end = (one["end_line"], one["end_column"])
        assert end > (one["line"], one["column"])
        assert one["section"].startswith(one["code"].lower())


def test_how_many_files_cannot_be_parsed(lint):
    write("a.py", "x = 1\n")
    write("b.py", "def f(:\n")
    write("c.py", b"\xff")
    run = lint(".")
    version = "{}.{}".format(*sys.version_info)
    assert run.err.splitlines()[-1] == (
        "1 file checked, 0 findings, 2 not checked, "
        f"1 file that Python {version} cannot parse"
    )


def shape(value):
    """The keys of a JSON object and the types of its values."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    if isinstance(value, list):
        return [shape(one) for one in value[:1]]
    return type(value)


def test_json_is_as_the_page_says(lint):
    write("src/feed.py", BAD)
    write("src/old.py", "print 'x'\n")
    run = lint("src", "--format=json")
    assert (run.status, run.err) == (2, "")
    data = json.loads(run.out)
    text = PAGE.read_text(encoding="utf-8")
    (printed,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    assert shape(data) == shape(json.loads(printed))
    assert list(data) == list(json.loads(printed))
    assert data["version"] == json.loads(printed)["version"] == 1
    assert list(data["findings"][0]) == list(json.loads(printed)["findings"][0])
    assert data["summary"] == json.loads(printed)["summary"]
    keys = ("path", "line", "column", "code", "severity")
    (finding,) = data["findings"]
    assert [finding[key] for key in keys] == ["src/feed.py", 2, 5, "LAG101", "warning"]


def test_json_without_findings(lint):
    write("a.py", "")
    data = json.loads(lint("a.py", "--format", "json").out)
    assert (data["findings"], data["errors"]) == ([], [])
    data = json.loads(lint("none.py", "--format", "json").out)
    assert data["errors"] == [
        {
            "path": "none.py",
            "cell": None,
            "line": None,
            "column": None,
            "message": "there is no such file or folder",
        }
    ]


def test_text_and_json_say_the_same(lint):
    for name in ("a.py", "b.py", "sub/c.py"):
        write(name, BAD + POLLS)
    data = json.loads(lint(".", "--format", "json").out)
    assert [
        "{path}:{line}:{column}: {code} {message} [{section}]".format(**one)
        for one in data["findings"]
    ] == lint(".").out.splitlines()


def test_the_run_on_the_page(lint):
    text = PAGE.read_text(encoding="utf-8")
    (words, printed) = re.search(
        r"```console\n\$ looplab (lint src)\n(src.*?)```", text, re.DOTALL
    ).groups()
    source = "import asyncio\n\n\nasync def feed(lines):\n    # One for all.\n"
    source += (
        "    queue = asyncio.Queue(); start(queue)\n    async for line in lines:\n"
    )
    write("src/feed.py", source + "        await queue.put(line)\n")
    assert words == "lint src"
    out = lint("src").out
    assert " ".join(printed.split()) == " ".join(out.split())


def test_the_page_lists_every_setting():
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| ", text, re.MULTILINE)
    known = command.Settings.__dataclass_fields__
    assert sorted(rows) == sorted(name.replace("_", "-") for name in known)
    for pattern in EXEMPT:
        assert f"`{pattern.rstrip('/')}`" in text
