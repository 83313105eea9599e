"""The bibliography: what is cited is there, and what is there is cited."""

from __future__ import annotations

import re
import tomllib

from tests.fast.notebooks.guards import BOOK, NOTEBOOKS, all_pages, load, source

CITE = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")


def cited() -> set[str]:
    """Every key that a page, a lab or a row of the scoreboard cites."""
    texts = [path.read_text(encoding="utf-8") for path in all_pages()]
    for path in NOTEBOOKS.glob("*.ipynb"):
        texts += [source(cell) for cell in load(path)["cells"]]
    keys = {k.strip() for t in texts for m in CITE.findall(t) for k in m.split(",")}
    published = tomllib.loads((BOOK / "published.toml").read_text(encoding="utf-8"))
    return keys | {each["key"] for each in published["source"]}


def listed() -> list[str]:
    text = (BOOK / "references.bib").read_text(encoding="utf-8")
    return re.findall(r"^@\w+\{([^,]+),$", text, re.MULTILINE)


def test_every_key_that_is_cited_is_listed_and_every_entry_is_cited() -> None:
    entries = listed()
    assert len(entries) == len(set(entries)) > 10
    assert cited() == set(entries)


def test_every_entry_says_where_to_find_it() -> None:
    text = (BOOK / "references.bib").read_text(encoding="utf-8")
    for entry in re.split(r"\n(?=@)", text):
        key = entry.partition("{")[2].partition(",")[0]
        for field in ("author", "title", "year"):
            assert re.search(rf"^\s+{field}\s+= ", entry, re.MULTILINE), (key, field)
        by_address = re.search(r"^\s+(?:url|doi)\s+= ", entry, re.MULTILINE)
        assert by_address or "described by its subject" in " ".join(entry.split()), key
