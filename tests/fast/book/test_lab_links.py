"""The links on the page of a lab that open it elsewhere."""

from __future__ import annotations

from types import SimpleNamespace

import lab_links
import pytest
from bs4 import BeautifulSoup
from sphinx.errors import ExtensionError

LAB = "04_late_heartbeat.ipynb"


def addresses(repository: object) -> list[str]:
    page = BeautifulSoup(lab_links.links(LAB, repository), "html.parser")
    return [str(link["href"]) for link in page.find_all("a")]


def test_a_repository_gives_a_link_to_binder() -> None:
    assert addresses("") == []
    binder = "https://mybinder.org/v2/gh/owner/on.time/main?urlpath=lab/tree/notebooks/"
    for end in ("", "/", ".git"):
        assert addresses(f"https://github.com/owner/on.time{end}") == [binder + LAB]


@pytest.mark.parametrize(
    "address", ["github.com/a/b", "https://github.com/a", "https://example.org/a/b", 3]
)
def test_another_address_is_refused(address: object) -> None:
    with pytest.raises(ExtensionError) as caught:
        lab_links.check(None, SimpleNamespace(lab_repository=address))
    assert repr(address) in str(caught.value)
    assert "https://github.com/OWNER/NAME" in str(caught.value)
