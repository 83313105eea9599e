"""What is read from strace, gdb and dumps of stacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fast.book.spinning_loop.example import fake, programs, watching


def test_a_debugger_without_python(bin_folder: Path) -> None:
    fake(bin_folder, "gdb", 'echo \'Undefined command: "py-bt".  Try "help".\' >&2')
    with pytest.raises(programs.SkippedError, match="without Python"):
        watching.gdb_run(watching.gdb_command("py-bt"))
