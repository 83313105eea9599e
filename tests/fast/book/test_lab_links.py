"""The links on the page of a lab that open it elsewhere."""

from __future__ import annotations

from types import SimpleNamespace

import lab_links
import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document
from sphinx.errors import ExtensionError

LAB = "04_late_heartbeat.ipynb"


def test_without_a_repository_there_is_a_mark_and_no_link() -> None:
    page = BeautifulSoup(lab_links.links(LAB, ""), "html.parser")
    assert page.find_all("a") == []
    assert page.get_text() == ""
    assert f"<!--open-lite ../lite/lab/index.html?path={LAB}-->" in str(page)


@pytest.mark.parametrize("end", ["", "/", ".git"])
def test_a_repository_gives_a_link(end: str) -> None:
    html = lab_links.links(LAB, f"https://github.com/owner/on.time{end}")
    links = BeautifulSoup(html, "html.parser").find_all("a")
    assert [a["href"] for a in links] == [
        f"https://mybinder.org/v2/gh/owner/on.time/main?urlpath=lab/tree/notebooks/{LAB}",
    ]
    assert [a.get_text() for a in links] == ["Open in Binder"]


@pytest.mark.parametrize(
    "address",
    ["github.com/a/b", "https://github.com/a", "https://example.org/a/b", "a/b", 3],
)
def test_another_address_is_refused(address: object) -> None:
    with pytest.raises(ExtensionError) as caught:
        lab_links.check(None, SimpleNamespace(lab_repository=address))
    assert repr(address) in str(caught.value)
    assert "https://github.com/OWNER/NAME" in str(caught.value)


@pytest.mark.parametrize(
    ("path", "is_lab"),
    [(f"notebooks/{LAB}", True), ("book/page.md", False), ("book/a.ipynb", False)],
)
def test_they_stand_below_the_title_of_a_lab(path: str, is_lab: bool) -> None:
    env = SimpleNamespace(docname="x", doc2path=lambda *_, **__: path)
    app = SimpleNamespace(env=env, config=SimpleNamespace(lab_repository=""))
    document = new_document("x")
    section = nodes.section("", nodes.title("", "Lab"), nodes.paragraph("", "Text"))
    document += section
    lab_links.insert(app, document)
    kinds = [type(node) for node in section.children]
    raw = [nodes.raw] if is_lab else []
    assert kinds == [nodes.title, *raw, nodes.paragraph]
