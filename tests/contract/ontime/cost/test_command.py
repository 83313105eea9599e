"""``python -m ontime.cost``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ontime.cost import (
    CostTable,
)
from ontime.cost.__main__ import main
from tests.contract.left import PATIENCE, SLOW, gone, needs_groups
from tests.fast.ontime.cost.shared import (
    ROOT,
    needs_pyperf,
)

SHORT = ("--values", "1", "--processes", "1", "--timeout", "600")


@needs_pyperf
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.json"
    words = [
        "tests.contract.ontime.cost.works:speaks",
        "--variants",
        "in sequence, tasks",
    ]
    assert main([*words, *SHORT, "--times", "3", "--save", str(path)]) == 0
    printed = capsys.readouterr().out
    assert printed == path.with_suffix(".txt").read_text("utf-8")
    table = CostTable.load(path)
    assert [row.name for row in table] == ["in sequence", "tasks"]
    assert table.where in printed


@needs_pyperf
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--save", "table.txt"], "'table.txt' must end in .json"),
        (["--save", "absent/table.json"], "there is no folder 'absent': make it"),
        (["--variants", "threads"], "no variant 'threads'; there are: in sequence"),
        (["--loops", "trio"], "loop is 'trio': there are asyncio and uvloop"),
        (["handle"], "coro_fn is 'handle': write module:function"),
        (
            ["tests.contract.ontime.cost.works:raises"],
            "raised ValueError: no good",
        ),
    ],
)
def test_wrong_words(
    words: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(tmp_path)
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert says in err
    assert list(tmp_path.iterdir()) == []


@needs_pyperf
@needs_groups
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_outlives_the_command(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "pid"
    (tmp_path / "one.py").write_text(
        f"from tests.contract.ontime.cost.works import leaves\n"
        f"async def work():\n    await leaves({str(path)!r})\n"
    )
    command = subprocess.Popen(
        [sys.executable, "-m", "ontime.cost", "one:work", "--timeout", "600"],
        cwd=tmp_path,
        env=os.environ
        | {
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "TMPDIR": str(tmp_path),
        },
        # pytest may itself run where interrupts are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        limit = time.monotonic() + SLOW
        while not path.is_symlink():
            assert time.monotonic() < limit and command.poll() is None
            time.sleep(0.01)
        command.send_signal(number)
        status = command.wait(PATIENCE)
    finally:
        command.kill()
        command.wait()
    assert status == (130 if number == signal.SIGINT else -number)
    assert gone(int(path.readlink().name))
