"""Without the GIL, and with a yield that does nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fast.book.spinning_loop.example import (
    fake,
    free,
    only_on_path,
    programs,
)

FREE = """\
case "$*" in
  *_is_gil_enabled*) echo {answer};;
  *-VV*) echo 'Python 3.14.9 free-threading build';;
  *) {measures};;
esac"""


MEASURES = """echo '{"median_s": 0.25, "idle_share": 0.5}'"""


def test_no_free_threaded_python(bin_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(programs.SkippedError, match=r"no free-threaded .*disable-gil"):
        free.capture(tmp_path / "o", tmp_path, lambda line: None)
    # One that is named so and has the lock all the same.
    fake(bin_folder, "python3.14t", FREE.format(answer="True", measures=":"))
    with pytest.raises(programs.SkippedError, match="no free-threaded"):
        free.interpreter()
    assert not (tmp_path / "o").exists()


def test_a_free_threaded_python(
    bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(free, "SESSIONS", (8,))
    script = FREE.format(answer="False", measures=MEASURES)
    fake(bin_folder, "python3.14t", script)
    free.capture(tmp_path, tmp_path, lambda line: None)
    text = (tmp_path / "free.txt").read_text("utf-8")
    assert text.startswith("Python 3.14.9, free-threaded")
    assert "poll   8  gil=0  250.000  250.000  250.000     50%   50%   50%\n" in text
    known = json.loads((tmp_path / "captures.json").read_text("utf-8"))["free"]
    assert text == free.table(known)
    fake(
        bin_folder, "python3.14t", script.replace(MEASURES, "echo 'no: why' >&2; false")
    )
    with pytest.raises(programs.CaptureError, match="not measured: no: why"):
        free.capture(tmp_path, tmp_path, lambda line: None)


@pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is of Linux")
def test_a_yield_that_does_nothing(
    bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(free, "find", only_on_path)
    hops = """echo "{\\"mean_s\\": 0.0${LD_PRELOAD:+0}5}\""""
    fake(
        bin_folder,
        "python3.14t",
        FREE.replace("{answer}", "False").replace("{measures}", hops),
    )
    ordinary = SimpleNamespace(
        executable=str(bin_folder / "python3.14t"), platform="linux"
    )
    monkeypatch.setattr(free, "sys", ordinary)
    monkeypatch.setattr(free, "ON_ONE", (1,))
    with pytest.raises(programs.SkippedError, match=r"cc is not installed .*gcc"):
        free.capture_yields(tmp_path, tmp_path, lambda line: None)
    fake(bin_folder, "cc", "echo 'no: why' >&2; false")
    with pytest.raises(programs.CaptureError, match="cc failed: no: why"):
        free.capture_yields(tmp_path, tmp_path, lambda line: None)
    fake(bin_folder, "cc", ":")
    free.capture_yields(tmp_path, tmp_path, lambda line: None)
    text = (tmp_path / "yields.txt").read_text("utf-8")
    row = "1 polling, free-threaded, with the lock    50.00   50.00   50.00"
    assert row + "    5.00    5.00    5.00\n" in text
    known = json.loads((tmp_path / "captures.json").read_text("utf-8"))["yields"]
    assert text == free.yields_table(known)
