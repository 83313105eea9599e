"""What cells import: what a page has to fetch for it, and what it cannot have."""

from __future__ import annotations

import pytest

from livecells.sphinx.imports import imported, imports, missing


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import a, b.c as d", {"a", "b"}),
        ("from a.b import c", {"a"}),
        ("from . import a", set()),
        ("from .a import b", set()),
        ("def f():\n    import a", {"a"}),
        ("try:\n    import a\nexcept ImportError:\n    import b", {"a", "b"}),
        ("'import a'  # import b", set()),
        ("x = = 1", set()),
    ],
)
def test_what_code_imports(source: str, expected: set[str]) -> None:
    assert imported(source) == expected


@pytest.mark.parametrize(
    ("handler", "caught"),
    [
        ("except ImportError", True),
        ("except (OSError, ModuleNotFoundError)", True),
        ("except", True),
        ("except ValueError", False),
    ],
)
def test_an_import_that_is_tried(handler: str, caught: bool) -> None:
    source = f"try:\n    import a\n{handler}:\n    pass"
    assert list(imports(source)) == [("a", 2, caught)]


def test_only_the_body_of_a_try_is_tried() -> None:
    parts = ("import b", "except ImportError: import c", "else: import d")
    source = "\n".join(
        ["try:\n    import a; " + parts[0], *parts[1:], "finally: import e"]
    )
    assert list(imports(source)) == [
        ("a", 2, True),
        ("b", 2, True),
        *((name, line, False) for line, name in enumerate("cde", 3)),
    ]


def test_what_a_page_cannot_have() -> None:
    source = (
        "import math\nimport numpy.linalg\nfrom mine import x\nimport js\n"
        "import multiprocessing.pool\ntry:\n    import scipy\nexcept ImportError: pass"
    )
    modules, without = ["math", "multiprocessing"], ["multiprocessing/*"]
    assert list(missing(source, ["mine"], modules, without)) == [
        ("numpy.linalg", 2),
        ("multiprocessing.pool", 5),
    ]
    assert [name for name, _ in missing("import math, numpy", [], [], [])] == ["numpy"]
