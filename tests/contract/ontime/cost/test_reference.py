"""How a function reaches the clean interpreter, and which ones cannot."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from ontime.cost import (
    UnsendableError,
    WorkFailedError,
    compare_costs,
    cpu_cost,
)
from tests.contract.left import SLOW
from tests.contract.ontime.cost.works import (
    Thing,
    double,
    replaced,
)
from tests.fast.ontime.cost.shared import (
    BRIEF,
    ROOT,
    needs_pyperf,
)


@needs_pyperf
def test_what_cannot_be_sent() -> None:
    lock = threading.Lock()

    async def holds_a_lock() -> None:
        with lock:
            pass

    says = r"coro_fn holds_a_lock cannot be sent to another process \(cannot pickle"
    with pytest.raises(UnsendableError, match=says):
        cpu_cost(holds_a_lock)
    with pytest.raises(UnsendableError, match=r"args cannot be sent .*: use values"):
        cpu_cost(double, args=(lock,))


@needs_pyperf
def test_what_goes_as_a_copy() -> None:
    """A function inside another, one that has lost its name, a method."""
    number = 21

    async def inner() -> None:
        assert await double(number) == 42

    table = compare_costs([inner, replaced, Thing().method], **BRIEF)
    assert [row.name for row in table] == ["inner", "_replaced", "Thing.method"]


@needs_pyperf
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no_such_module:f", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("ontime.cost.works:absent", "has no absent"),
        ("ontime.cost.table:this_machine", "not a coroutine function"),
    ],
)
def test_a_name_of_nothing(text: str, says: str) -> None:
    with pytest.raises(WorkFailedError, match=says):
        cpu_cost(text, **BRIEF)


def run_program(text: str, path: Path) -> subprocess.CompletedProcess[str]:
    path.write_text(textwrap.dedent(text))
    return subprocess.run(
        [sys.executable, str(path)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=False,
    )


@needs_pyperf
def test_a_function_of_a_script(tmp_path: Path) -> None:
    done = run_program(
        """
        from ontime.cost import cpu_cost

        async def mine():
            pass

        if __name__ == "__main__":
            table = cpu_cost(mine, values=1, processes=1, calls=9, timeout=600)
            print(table["mine"].calls)
        """,
        tmp_path / "script.py",
    )
    assert (done.returncode, done.stdout) == (0, "9\n"), done.stderr


@needs_pyperf
def test_a_function_of_a_module_that_runs_as_a_program(tmp_path: Path) -> None:
    package = tmp_path / "some_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "other.py").write_text("answer = 42\n")
    (package / "__main__.py").write_text(
        "from ontime.cost import cpu_cost\n"
        "from .other import answer\n"
        "async def mine():\n"
        "    assert answer == 42\n"
        "if __name__ == '__main__':\n"
        "    print(len(cpu_cost(mine, values=1, processes=1, calls=9, timeout=600)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "some_package"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


@needs_pyperf
def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    done = run_program(
        """
        from ontime.cost import cpu_cost

        async def mine():
            pass

        print(cpu_cost(mine, values=1, processes=1, calls=9, timeout=600)["mine"].calls)
        """,
        tmp_path / "script.py",
    )
    assert (done.returncode, done.stdout) == (0, "9\n"), done.stderr


@needs_pyperf
def test_a_module_that_measures_when_it_is_imported_is_told(tmp_path: Path) -> None:
    done = run_program(
        """
        from ontime.cost import cpu_cost

        async def mine():
            pass

        cpu_cost("script:mine", values=1, processes=1, calls=9, timeout=600)
        """,
        tmp_path / "script.py",
    )
    assert done.returncode == 1
    assert 'put the call under if __name__ == "__main__":' in done.stderr


NOTEBOOK = """
import asyncio
import os.path as ospath
import textwrap
import threading
from collections import OrderedDict as Ordered

class Own:
    pass

def cell(number, source):
    exec(compile(textwrap.dedent(source), f"<cell {number}>", "exec"), globals())
"""


def in_notebook(*cells: str) -> str:
    """Run cells in a program whose ``__main__`` has no file; what it printed."""
    parts = [NOTEBOOK]
    parts += [f"cell({number}, {text!r})" for number, text in enumerate(cells)]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(parts)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@needs_pyperf
def test_a_function_of_a_notebook_goes_as_a_copy() -> None:
    said = in_notebook(
        """
        scale = 3
        names = ("a", "b")

        def helper(number):
            return number * scale if number else again(1)

        def again(number):
            return helper(number)

        async def mine(number: Own = 2) -> Own:
            assert helper(number) == 6 and again(0) == 3
            assert ospath.join(*names) and Ordered(a=1)
            await asyncio.sleep(0)
            return [name for name in names if scale]
        """,
        """
        from ontime.cost import cpu_cost
        print(cpu_cost(mine, values=1, processes=1, calls=9, timeout=600)["mine"].calls)
        """,
    )
    assert said == "9"


@needs_pyperf
@pytest.mark.parametrize(
    "cell",
    [
        "own = Own()\nasync def mine():\n    assert isinstance(own, Own)",
        "def deco(f): return f\n@deco\nasync def mine(x=Own()): assert x",
    ],
)
def test_objects_of_a_notebook_go_too(cell: str) -> None:
    said = in_notebook(
        cell,
        """
        from ontime.cost import cpu_cost
        print(cpu_cost(mine, values=1, processes=1, calls=9, timeout=600)["mine"].calls)
        """,
    )
    assert said == "9"


@needs_pyperf
@pytest.mark.parametrize(
    ("cell", "says"),
    [
        (
            "lock = threading.Lock()\nasync def mine():\n    with lock: pass",
            "coro_fn mine cannot be sent to another process",
        ),
        ("mine = lambda: 0", "give a coroutine function"),
    ],
)
def test_what_a_notebook_cannot_send(cell: str, says: str) -> None:
    said = in_notebook(
        cell,
        """
        from ontime.cost import cpu_cost
        try:
            cpu_cost(mine)
        except TypeError as error:
            print(error)
        """,
    )
    assert says in said
