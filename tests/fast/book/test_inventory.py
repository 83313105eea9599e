"""The names of the Python documentation that the reference links to."""

from __future__ import annotations

import io

import pytest
import yaml
from sphinx.util.inventory import InventoryFile

from tests.fast.notebooks.guards import ROOT

FILE = "book/inventories/python.inv"


def test_the_configuration_names_the_file() -> None:
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]
    address, file = config["config"]["intersphinx_mapping"]["python"]
    assert file == FILE, "a build must not fetch it"
    assert "sphinx.ext.intersphinx" in config["config"]["extensions"]
    licence = (ROOT / FILE).with_name("README.txt").read_text("utf-8")
    assert "Python Software Foundation License" in licence
    assert address in licence


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("py:class", "asyncio.Queue"),
        ("py:class", "asyncio.AbstractEventLoop"),
        ("py:function", "asyncio.run"),
        ("py:method", "asyncio.loop.call_soon"),
        ("py:class", "collections.abc.Callable"),
        ("py:module", "contextvars"),
    ],
)
def test_it_has_the_names_that_the_book_needs(kind: str, name: str) -> None:
    data = (ROOT / FILE).read_bytes()
    assert len(data) < 20_000
    place = "https://docs.python.org/3.11/"
    names = InventoryFile.load(io.BytesIO(data), place, lambda a, b: a + b)
    _, version, address, _ = names[kind][name]
    assert version == "3.11"
    assert address.startswith(place)
    assert "float" not in names["py:class"], "a link at every float is in the way"
