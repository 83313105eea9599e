"""``python -m ontime.cpu_models``, also with another interpreter."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from ontime.cpu_models import (
    Comparison,
    usable_cores,
)
from ontime.cpu_models.__main__ import _TRIAL, main
from tests.contract.left import (
    PATIENCE,
    SLOW,
    needs_groups,
    needs_proc,
    none_left,
    ours,
)
from tests.fast.ontime.cpu_models.shared import SOURCE


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kept.json"
    words = ["--models", "chain, threads", "--jobs", "2", "--limit", "50"]
    assert main([*words, "--save", str(path)]) == 0
    said = capsys.readouterr()
    assert "2 jobs of product(50)." in said.out
    assert "call_soon chain" in said.err
    kept = Comparison.load(path)
    assert path.with_suffix(".txt").read_text(encoding="utf-8") == f"{kept!r}\n"
    assert "cores free before, " in kept.machine["free"]


def test_command_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--models", "chain", "--jobs", "1", "--limit", "9", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["work"] == "product(9)"
    assert said.err == ""


def test_command_with_another_interpreter(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--models", "chain", "--jobs", "1", "--limit", "9"]
    assert main([*words, "--python", sys.executable]) == 0
    version = ".".join(map(str, sys.version_info[:3]))
    shown = capsys.readouterr().out
    assert f"a thread each, Python {version}" in shown
    # Interpreters are compared with processes of the same Python.
    assert re.search(rf"^Pool\(\d+\), Python {version}", shown, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["--models", "chian"], 2, "no model 'chian'"),
        (["--jobs", "-1", "--models", "chain"], 2, "--jobs is -1: give 1 or more"),
        (["--jobs", "0", "--models", "chain"], 2, "--jobs is 0: give 1 or more"),
        (["--jobs", "1001", "--models", "chain"], 1, "count is 1,001"),
        (["--limit", "0", "--models", "chain"], 2, "--limit is 0: give 1 or more"),
        (["--limit", "-5", "--full"], 2, "--limit is -5: give 1 or more"),
        (["--repeats", "0", "--models", "chain"], 1, "repeats is 0"),
        (["--timeout", "nan", "--models", "chain"], 1, "timeout is nan"),
        (["--jobs", "x"], 2, "invalid int"),
    ],
)
def test_command_with_bad_options(
    words: list[str], status: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        found = main(words)
    except SystemExit as stop:
        found = int(stop.code or 0)
    assert found == status
    assert says in capsys.readouterr().err


def refused_before_a_run(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command ends with status 2, and nothing was measured."""

    def never(*args: object, **settings: object) -> None:
        raise AssertionError("it has begun to measure")

    monkeypatch.setattr("ontime.cpu_models.__main__.compare_models", never)
    with pytest.raises(SystemExit) as stop:
        main(["--models", "chain", "--jobs", "1", "--limit", "9", *words])
    assert stop.value.code == 2


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("kept.txt", "kept.txt' must end in .json"),
        ("kept", "must end in .json"),
        ("none/kept.json", "none': make it"),
        ("folder.json", "folder.json' is a folder"),
    ],
)
def test_command_refuses_a_place_where_it_cannot_save(
    name: str,
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "folder.json").mkdir()
    refused_before_a_run(["--save", str(tmp_path / name)], monkeypatch)
    assert says in capsys.readouterr().err
    assert not (tmp_path / name).is_file()


def fake_python(folder: Path, trial: str, run: str) -> str:
    """A program that is called as an interpreter: with -c *trial*, with -m *run*."""
    path = folder / "python-of-a-test"
    lines = f"""#!{sys.executable}
import sys
sys.path.insert(0, {SOURCE!r})
if __name__ == "__main__":
    if sys.argv[1] == "-c":
{textwrap.indent(textwrap.dedent(trial), " " * 8)}
    else:
{textwrap.indent(textwrap.dedent(run), " " * 8)}
"""
    path.write_text(lines, encoding="utf-8")
    path.chmod(0o755)
    return str(path)


needs_scripts = pytest.mark.skipif(os.name == "nt", reason="needs #! lines")


def test_command_refuses_a_program_that_is_not_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused_before_a_run(["--python", "/no/such/python"], monkeypatch)
    assert "--python /no/such/python: there is no such" in capsys.readouterr().err


@needs_scripts
@pytest.mark.parametrize(
    ("trial", "says"),
    [
        ("sys.exit('it is Python 3.9: too old')", "it is Python 3.9: too old"),
        ("sys.exit(3)", "it said nothing"),
    ],
)
def test_command_refuses_an_interpreter_that_cannot_run_it(
    trial: str,
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = fake_python(tmp_path, trial, "pass")
    refused_before_a_run(["--python", path], monkeypatch)
    assert f"--python {path}: {says}" in capsys.readouterr().err


def test_the_trial_of_an_interpreter_tells_its_age(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(SystemExit, match=r"it is Python 3\.9: looplab needs 3\.11"):
        monkeypatch.setattr(sys, "version_info", (3, 9, 1, "final", 0))
        exec(_TRIAL, {})


@needs_scripts
def test_command_keeps_the_rest_if_an_interpreter_fails_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    python = fake_python(tmp_path, "pass", "sys.exit('no memory')")
    path = tmp_path / "kept.json"
    words = ["--models", "chain", "--jobs", "1", "--limit", "9", "--save", str(path)]
    assert main([*words, "--python", python]) == 1
    said = capsys.readouterr()
    assert f"error: {python} did not measure: no memory" in said.err
    assert [row.name for row in Comparison.load(path)] == ["call_soon chain"]
    assert "call_soon chain" in said.out


@needs_scripts
def test_rows_of_a_free_threaded_build(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A build that says of itself what a free-threaded one says."""
    run = """
        import sysconfig
        from ontime.cpu_models.__main__ import _TRIAL, main
        ask = sysconfig.get_config_var
        sysconfig.get_config_var = lambda name: (
            1 if name == "Py_GIL_DISABLED" else ask(name))
        sys._is_gil_enabled = lambda: False
        sys.exit(main(sys.argv[3:]))
        """
    python = fake_python(tmp_path, "pass", run)
    words = ["--models", "chain", "--jobs", "2", "--limit", "9"]
    assert main([*words, "--python", python]) == 0
    version = ".".join(map(str, sys.version_info[:3]))
    label = f"Python {version}, free-threaded build, GIL off"
    rows = capsys.readouterr().out
    assert f"a thread each, {label}" in rows
    assert f"ThreadPoolExecutor({usable_cores()}), {label}" in rows


def test_a_real_free_threaded_build(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"python3.{minor}t" for minor in (13, 14, 15)]
    python = next(filter(None, map(shutil.which, names)), None)
    if python is None:
        pytest.skip(f"none of {', '.join(names)} is installed")
    words = ["--models", "chain", "--jobs", "4", "--limit", "9000"]
    assert main([*words, "--python", python]) == 0
    assert ", free-threaded build, GIL o" in capsys.readouterr().out


# The command, its supervisor, the other interpreter; its supervisor and its measuring
# process.
@needs_groups
@needs_proc
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_a_kill_while_another_interpreter_measures(
    number: signal.Signals, tmp_path: Path
) -> None:
    run = """
        import time
        from ontime.cpu_models import compare_models
        compare_models(time.sleep, (60,), count=2, models=["threads"], timeout=600)
        """
    python = fake_python(tmp_path, "pass", run)
    words = ["--models", "chain", "--jobs", "1", "--limit", "9", "--python", python]
    command = subprocess.Popen(
        [sys.executable, "-m", "ontime.cpu_models", *words],
        env={**os.environ, "PYTHONPATH": SOURCE},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with command:
        assert command.stderr is not None
        for line in command.stderr:
            if "threads and interpreters" in line:
                break
        limit = time.monotonic() + SLOW
        while len(ours()) < 5:
            assert time.monotonic() < limit and command.poll() is None
            time.sleep(0.05)
        time.sleep(0.3)
        os.kill(command.pid, number)
        command.wait(PATIENCE)
        assert command.returncode != 0
    assert none_left() == {}
