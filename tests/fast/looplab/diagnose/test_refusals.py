"""What the commands refuse: one line, before anything is started."""

from __future__ import annotations

import pytest

from tests.fast.looplab.diagnose.files import save
from tests.fast.looplab.diagnose.made import hog, late_ping

FILES = {
    "p.py": "print('ran')",
    "empty": "",
    "braces": "{}",
    "head": '{"format":"looplab-trace/6"}',
    "old": '{"format":"looplab-trace/2"}',
    "odd": '{"format":"looplab-trace/6"}\nnonsense\n{}\n',
}
REFUSED = """
trace: usage: looplab trace
trace --for soon p.py: usage: looplab trace
trace --for 0 p.py: usage: looplab trace
attach 1: attaching needs Python 3.14 or newer
trace nothing.py: no command 'nothing.py'
trace -o no/where.jsonl p.py: cannot write no/where.jsonl
trace -o folder p.py: folder exists and is not a recording
trace -o p.py p.py: p.py exists and is not a recording
who .: cannot read .
who empty: is not a trace of looplab
who braces: its format is None
who head: holds no callback
who old: its format is 'looplab-trace/2'
who odd: holds no callback
who t.jsonl --loop 7: no loop 7
who t.jsonl --top 0: --top is 0
show t.jsonl --html no/page.html: looplab: cannot write no/page.html
what-if t.jsonl: name a change: --move
what-if t.jsonl --move nobody: looplab: nothing in the recording matches
what-if t.jsonl --chunk hog: 'hog' has no amount: write PATTERN:AMOUNT
what-if t.jsonl --chunk hog:soon: 'soon' is not a time above 0
what-if t.jsonl --faster hog:x: 'x' is not a number above 0
what-if t.jsonl --workers hog:x: 'x' is not a whole number
what-if t.jsonl --workers hog:0: workers is 0: give 1 or more
"""


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_what_is_wrong_is_one_line(tmp_path, monkeypatch, looplab, line):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delattr("sys.remote_exec", raising=False)  # as before 3.14
    (tmp_path / "folder").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    save(late_ping(hog()), tmp_path / "t.jsonl")
    words, _, text = line.partition(": ")
    status, out, err = looplab(*words.split())
    assert (status, out) == (2, "")
    assert text in err
    assert len(err.splitlines()) == 1 or err.startswith("usage: looplab ")
