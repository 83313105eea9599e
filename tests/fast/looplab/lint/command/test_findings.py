"""What is found, in which order, and the exit status."""

from __future__ import annotations

import json
import re

from tests.fast.looplab.lint.command.runs import BAD, POLLS, STRAIGHT, write


def test_clean(lint):
    write("a.py", "x = 1\n")
    run = lint("a.py")
    assert (run.status, run.out, run.err) == (0, "", "1 file checked, 0 findings\n")
    assert lint("a.py", "--quiet").err == ""


def test_findings(lint):
    write("a.py")
    write("sub/b.py", POLLS)
    run = lint("sub", "a.py")
    assert run.status == 1
    assert run.places == ["sub/b.py:3:20: LAG201", "a.py:2:5: LAG101"]
    assert run.err == "2 files checked, 2 findings\n"
    for line in run.out.splitlines():
        assert re.fullmatch(r"[^:]+:\d+:\d+: LAG\d{3} \S.*\S", line)


def test_without_a_path_it_is_this_folder(lint):
    write("a.py")
    write("sub/b.py")
    assert lint().places == ["a.py:2:5: LAG101", "sub/b.py:2:5: LAG101"]


def test_the_order_never_varies_and_each_file_is_read_once(lint):
    for name in ("b.py", "a.py", "Z.py", "sub/c.py", "a/x.py"):
        write(name)
    expected = ["Z.py", "a.py", "b.py", "a/x.py", "sub/c.py"]
    assert [one.split(":")[0] for one in lint(".").places] == expected
    run = lint("b.py", ".", "./a.py", "sub", "b.py")
    assert [one.split(":")[0] for one in run.places] == [
        "b.py",
        *(one for one in expected if one != "b.py"),
    ]


def test_a_file_that_is_named_needs_no_suffix(lint):
    write("script", "#!/usr/bin/env python3\n" + BAD)
    assert lint("script").places == ["script:3:5: LAG101"]
    assert lint(".").status == 2  # there is no *.py


def test_rules_are_chosen(lint):
    write("a.py", BAD + POLLS + STRAIGHT)

    def codes(*words):
        return [place[-6:] for place in lint("a.py", *words).places]

    assert codes() == ["LAG101", "LAG201"]
    assert codes("--select", "LAG101") == ["LAG101"]
    assert codes("--select=LAG1,LAG202") == ["LAG101", "LAG202"]
    assert codes("--extend-select", "LAG202") == ["LAG101", "LAG201", "LAG202"]
    assert codes("--extend-select", "LAG2") == ["LAG101", "LAG201"]
    assert codes("--ignore", "LAG101") == ["LAG201"]
    assert codes("--ignore", "LAG1", "--ignore", "LAG2") == []


def test_comments_silence(lint):
    write("a.py", "import asyncio\nq = asyncio.Queue()  # noqa: LAG101\n")
    write("b.py", "# flake8: noqa\n" + BAD)
    assert lint(".").status == 0
    assert len(lint(".", "--disable-noqa").places) == 2


def test_standard_input(lint, stdin):
    stdin(BAD.encode())
    assert lint("-").places == ["<stdin>:2:5: LAG101"]
    stdin(BAD.encode())
    run = lint("-", "--stdin-filename", "src/a.py", "--format=json")
    assert json.loads(run.out)["findings"][0]["path"] == "src/a.py"
    stdin(BAD.encode())
    assert lint("-", "--stdin-filename", "tests/a.py").status == 0
    stdin(b"x = '\xff'")
    run = lint("-")
    assert run.status == 2
    assert run.errors[0].startswith("<stdin>:1:1: error: is not utf-8: byte 0xff")
