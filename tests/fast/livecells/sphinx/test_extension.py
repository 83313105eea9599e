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


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("output_limit", 10, "is 10: give a number"),
        ("output_limit", True, "is True"),
        ("timeout", 0, "is 0: give a number of seconds"),
        ("tag", "", "is '': give the tag"),
        ("tag", " live", "is ' live'"),
        ("wheels", ".", r"give a list of paths, here \['.'\]"),
        ("reasons", "slow", "is 'slow': give a sentence"),
        ("reasons", {"slow": 3}, "is .*: give a sentence"),
        ("without", "xml/*", "is .*: give a list"),
        ("without", [3], "is .*: give a list"),
    ],
)
def test_a_bad_option_is_named_with_the_fix(
    option: str, value: object, words: str
) -> None:
    config = SimpleNamespace(**{option.name: option.default for option in OPTIONS})
    check_options(config)
    setattr(config, f"livecells_{option}", value)
    with pytest.raises(ExtensionError, match=words):
        check_options(config)


def test_every_option_is_documented() -> None:
    import livecells

    for option in OPTIONS:
        assert f"``{option.name}``" in str(livecells.__doc__)
        assert option.text.endswith(".") and option.name.startswith("livecells_")
