"""The names that the editor offers before Python runs."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from livecells.sphinx import index

SOURCE = '''
import json
class Thing:
    """A thing.

    More."""
    word = 1
    def __init__(self, size): ...
    def method(self, n=2):
        "Does it."
    class Inner:
        deeper = 1
def function(a, *, b): ...
number = 3
_hidden = 4
'''
FUNCTION = {"type": "function", "text": "function(a, *, b)", "doc": ""}
THING = {
    "type": "class",
    "text": "Thing(size)",
    "doc": "A thing.",
    "members": {
        "Inner": {"type": "class", "text": "Inner()", "doc": ""},
        "method": {"type": "function", "text": "method(self, n=2)", "doc": "Does it."},
        "word": {"type": "variable"},
    },
}
VARIABLE = {"type": "variable"}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    made = ModuleType("mine")
    exec(SOURCE, vars(made))
    vars(made)["json"] = ModuleType("json")
    monkeypatch.setitem(sys.modules, "mine", made)
    return made


def test_the_index_has_what_a_module_holds_two_levels_deep(module: ModuleType) -> None:
    assert index.index_of(["no_such_module", "mine"]) == {
        "mine": {
            "type": "namespace",
            "members": {
                "Thing": THING,
                "function": FUNCTION,
                "json": {"type": "namespace", "members": {}},
                "number": VARIABLE,
            },
        }
    }


def test_what_a_module_says_is_public_goes_first(module: ModuleType) -> None:
    vars(module)["__all__"] = ["number", "lost", "_hidden"]
    members = index.index_of(["mine"])["mine"]["members"]
    assert members == {"lost": VARIABLE, "number": VARIABLE}


def test_the_index_of_a_module_has_a_bound(module: ModuleType) -> None:
    names = [f"n{n:03}" for n in range(450)]
    vars(module).update(dict.fromkeys(names), __all__=names)
    assert list(index.index_of(["mine"])["mine"]["members"]) == names[:400]


def test_the_index_is_a_file_named_by_what_is_in_it(
    module: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[Any] = []

    def python(app: object, words: list[str], *_: object) -> str:
        asked.extend(words)
        assert index.main(words[2:]) == 0
        return capsys.readouterr().out

    def remembered(app: object, key: str, files: object, make: Any) -> Any:
        asked.append(json.loads(key))
        return make()

    monkeypatch.setattr(index, "python", python)
    monkeypatch.setattr(index, "remembered", remembered)
    monkeypatch.setattr(index, "code_files", lambda app: [])
    app = SimpleNamespace(outdir=tmp_path)
    assert index.write_index(app, ["print(1)"]) is None and not asked
    name = index.write_index(app, ["import mine", "import json, mine"])
    assert asked == [["index", "json", "mine"], "-c", index.MAKE, "json", "mine"]
    data = (tmp_path / "_static" / str(name)).read_bytes()
    assert json.loads(data) == index.index_of(["json", "mine"])
    assert name == f"livecells/index/{hashlib.sha256(data).hexdigest()[:12]}.json"
