"""`make execute`: files change only when every cell of every notebook succeeded."""

import json
import os
import signal
import subprocess
import sys

import nbformat
import pytest

from tests.fast.tools.test_execute import texts, write
from tools.common import ROOT, ToolError
from tools.execute import METADATA, Quiet, refresh


@pytest.fixture
def lines():
    return []


def test_outputs_are_refreshed_without_time_stamps_or_versions(tmp_path, lines):
    path = write(tmp_path / "01_a.ipynb", "1 + 1", "print('x')\nprint('y')")
    refresh([path], lines.append)
    notebook = json.loads(path.read_text())
    assert notebook["metadata"] == METADATA
    _, first, second = notebook["cells"]
    assert first["outputs"][0]["data"] == {"text/plain": ["2"]}
    assert [o["text"] for o in second["outputs"]] == [["x\n", "y\n"]]
    assert first["metadata"] == second["metadata"] == {}
    assert "cell 2 of 2" in "".join(lines)
    again = path.read_bytes()
    refresh([path], lines.append)
    assert path.read_bytes() == again
    assert [p.name for p in tmp_path.iterdir()] == ["01_a.ipynb"]


def test_a_failed_cell_changes_no_file_and_is_named(tmp_path, lines):
    good = write(tmp_path / "01_good.ipynb", "1")
    bad = write(tmp_path / "02_bad.ipynb", "x = 1", "raise ValueError('too late')")
    before = good.read_bytes(), bad.read_bytes()
    with pytest.raises(ToolError) as caught:
        refresh([good, bad], lines.append)
    message = str(caught.value)
    assert "02_bad.ipynb: cell 2 of 2" in message
    assert "ValueError: too late" in message
    assert "\n" not in message
    assert (good.read_bytes(), bad.read_bytes()) == before
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter on Windows")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_changes_no_file(tmp_path, number):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    good = write(folder / "01_good.ipynb", "1")
    slow = write(folder / "02_slow.ipynb", "import time; time.sleep(60)")
    before = good.read_bytes(), slow.read_bytes()
    code = (
        "import sys; from pathlib import Path; from tools import execute;"
        "execute.ROOT = Path(sys.argv[1]); sys.exit(execute.main([]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    seen = ""
    while "02_slow  cell 1 of 1" not in seen:
        more = process.stdout.read(1)
        assert more, seen
        seen += more
    process.send_signal(number)
    rest = process.communicate(timeout=600)[0]
    assert process.returncode == 130
    assert rest.strip() == "error: 02_slow.ipynb: interrupted; no notebook was changed."
    assert (good.read_bytes(), slow.read_bytes()) == before
    assert len(list(folder.iterdir())) == 2


# ---- a measured cell asks for a quiet machine -------------------------------

COUNTER = "n = globals().get('n', 0) + 1\nn"


def shares(*values):
    """Stands in for the machine: the share of free cores, each time it is asked."""
    left = list(values)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def measured(tmp_path):
    return write(tmp_path / "01_a.ipynb", COUNTER, "n", cell1=["measured"])


def test_a_run_that_was_disturbed_is_repeated(tmp_path, lines):
    path = measured(tmp_path)
    refresh([path], lines.append, Quiet(share=shares(1.0, 0.5, 1.0, 0.92)))
    cells = nbformat.read(path, 4).cells[1:]
    assert texts(path) == ["2", "2"]
    assert cells[0].metadata.free_cores == 0.92
    assert [cell.execution_count for cell in cells] == [1, 2]
    assert [cell.outputs[0].execution_count for cell in cells] == [1, 2]


def test_measured_outputs_can_stay_as_they_are_committed(tmp_path, lines):
    path = measured(tmp_path)
    refresh([path], lines.append, Quiet(share=shares(1.0)))
    notebook = nbformat.read(path, 4)
    notebook.cells[1].source = "n = 7  # another way to say it\nn"
    notebook.cells[1].metadata.free_cores = 0.93
    nbformat.write(notebook, path)
    refresh([path], lines.append, Quiet(keep=True, share=shares(0.1)))
    assert texts(path) == ["1", "7"]
    assert nbformat.read(path, 4).cells[1].metadata.free_cores == 0.93


@pytest.mark.parametrize("second", ["", "x"])
def test_a_cell_that_shows_nothing_is_guarded_too(tmp_path, lines, second):
    # What it has measured may be shown by another cell.
    path = write(tmp_path / "01_a.ipynb", "x = 1", second, cell1=["measured"])
    refresh([path], lines.append, Quiet(share=shares(1.0, 0.5, 0.95)))
    assert nbformat.read(path, 4).cells[1].metadata.free_cores == 0.95
    with pytest.raises(ToolError, match="cell 1 of 2: only 20% of the cores"):
        refresh([path], lines.append, Quiet(patience=0, share=shares(0.2)))
    refresh([path], lines.append, Quiet(patience=0, busy=True, share=shares(0.4)))
    assert nbformat.read(path, 4).cells[1].metadata.free_cores == 0.4


def test_a_cell_that_only_defines_has_no_share(tmp_path, lines):
    path = write(tmp_path / "01_a.ipynb", "def f(): return 1", cell1=["measured"])
    notebook = nbformat.read(path, 4)
    notebook.cells[1].metadata.free_cores = 0.1
    nbformat.write(notebook, path)
    refresh([path], lines.append, Quiet(patience=0, share=shares(0.2)))
    assert "free_cores" not in nbformat.read(path, 4).cells[1].metadata
