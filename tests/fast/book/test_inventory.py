"""The names of the Python documentation that the reference links to."""

from __future__ import annotations

import io
import posixpath

import yaml
from sphinx.util.inventory import InventoryFile

from tests.fast.notebooks.guards import ROOT

FILE = "book/inventories/python.inv"
NEEDED = [
    ("py:class", "asyncio.Queue"),
    ("py:function", "asyncio.run"),
    ("py:method", "asyncio.loop.call_soon"),
    ("py:module", "contextvars"),
]


def test_it_is_at_hand_and_has_the_names_that_the_book_needs() -> None:
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]
    address, file = config["config"]["intersphinx_mapping"]["python"]
    assert file == FILE, "a build must not fetch it"
    licence = (ROOT / FILE).with_name("README.txt").read_text("utf-8")
    assert "Python Software Foundation License" in licence
    data = (ROOT / FILE).read_bytes()
    names = InventoryFile.load(io.BytesIO(data), address, posixpath.join)
    for kind, name in NEEDED:
        assert names[kind][name][2].startswith(address), name
    assert "float" not in names["py:class"], "a link at every float is in the way"
