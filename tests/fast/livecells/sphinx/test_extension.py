"""The extension marks live cells, gives each page what it needs, and nothing more."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError

from livecells.options import OPTIONS
from livecells.sphinx.cells import cell_ids
from livecells.sphinx.checks import check_options

# ---- marks ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "a-2", "a-3"]),
        (["a", "a", "a-2"], ["a", "a-2", "a-2-2"]),
        (["has space", "x"], ["code-ca978112", "x"]),
        ([None, None], ["code-ca978112", "code-3e23e816"]),
        (["<b>", "x" * 65], ["code-ca978112", "code-3e23e816"]),
    ],
)
def test_ids_are_unique_and_fit_for_an_address(
    wanted: list[str | None], expected: list[str]
) -> None:
    sources = [chr(ord("a") + place) for place in range(len(wanted))]
    assert cell_ids(wanted, sources) == expected


# ---- options ----------------------------------------------------------------


def test_one_path_where_a_list_is_wanted() -> None:
    config = SimpleNamespace(**{option.name: option.default for option in OPTIONS})
    check_options(config)
    config.livecells_wheels = "."
    with pytest.raises(ExtensionError, match=r"give a list of paths, here \['.'\]"):
        check_options(config)


@pytest.mark.parametrize("value", ["slow", {"slow": 3}])
def test_reasons_are_sentences_by_tag(value: object) -> None:
    config = SimpleNamespace(**{option.name: option.default for option in OPTIONS})
    config.livecells_reasons = value
    with pytest.raises(
        ExtensionError, match=r"livecells_reasons is .*: give a sentence"
    ):
        check_options(config)


@pytest.mark.parametrize("value", ["xml/*", [3]])
def test_what_a_page_does_without_is_a_list(value: object) -> None:
    config = SimpleNamespace(**{option.name: option.default for option in OPTIONS})
    config.livecells_without = value
    with pytest.raises(ExtensionError, match=r"livecells_without is .*: give a list"):
        check_options(config)


def test_every_option_is_documented() -> None:
    import livecells

    for option in OPTIONS:
        assert f"``{option.name}``" in str(livecells.__doc__)
        assert option.text.endswith(".") and option.name.startswith("livecells_")
