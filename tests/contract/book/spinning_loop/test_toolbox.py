"""The tools of the capture: what they print, what they lack, and their table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fast.book.spinning_loop.example import (
    fake,
    processes_with,
    programs,
    toolbox,
)


@pytest.mark.parametrize(
    ("tool", "program"),
    [
        ("strace", "strace"),
        ("taskset", "taskset"),
        ("gdb", "gdb"),
    ],
)
def test_a_tool_that_is_missing(
    tool: str,
    program: str,
    bin_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(toolbox, "gdb_script", lambda: Path("python-gdb.py"))
    (tmp_path / f"{tool}.txt").write_text("what was there\n", "utf-8")
    status = toolbox.capture(tmp_path, tmp_path / "e", lambda line: None, [tool])
    err = capsys.readouterr().err
    assert status == 3
    assert err == (
        f"capture.py: {tool} left out: {program} is not installed "
        f"(on Debian and Ubuntu: apt install {'util-linux' * (tool == 'taskset')}"
        f"{tool * (tool != 'taskset')})\n"
    )
    assert (tmp_path / f"{tool}.txt").read_text("utf-8") == "what was there\n"


DENIED = {
    "strace": "echo 'strace: attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted'"
    " >&2; exit 1",
    "gdb": "echo 'ptrace: Operation not permitted.'",
    "py-spy": "echo 'Permission Denied: Try running again with elevated permissions'"
    " >&2; exit 1",
}


@pytest.mark.parametrize(
    ("tool", "program"),
    [
        ("strace", "strace"),
        ("gdb", "gdb"),
        ("pyspy_dump", "py-spy"),
        ("pyspy_record", "py-spy"),
        ("pyspy_top", "py-spy"),
    ],
)
def test_tracing_is_not_allowed(
    tool: str,
    program: str,
    bin_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake(bin_folder, program, DENIED[program])
    monkeypatch.setattr(toolbox, "gdb_script", lambda: Path("python-gdb.py"))
    monkeypatch.setattr(toolbox, "terminal", lambda command, seconds: DENIED["py-spy"])
    with pytest.raises(programs.SkippedError, match="CAP_SYS_PTRACE"):
        toolbox.TOOLS[tool](toolbox.Context(tmp_path))
    assert not processes_with("distilled.py hops", mine=True)


def test_tracing_its_own_child_is_not_allowed(bin_folder: Path) -> None:
    fake(
        bin_folder,
        "strace",
        "echo 'strace: test_ptrace_get_syscall_info: PTRACE_TRACEME: "
        "Operation not permitted' >&2; exit 1",
    )
    with pytest.raises(programs.SkippedError, match="CAP_SYS_PTRACE"):
        toolbox.strace_one(toolbox.Context(Path()))
