"""Which package may import which."""

import ast

import pytest

from tools.common import ROOT


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("looplab", {"ontime", "livecells"}),
        ("ontime", {"livecells"}),
        ("livecells", {"looplab", "ontime"}),
    ],
)
def test_who_may_import_whom(name, others):
    """The course may use the tools; no other package knows another."""
    for path in (ROOT / "src" / name).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = []
            if isinstance(node, ast.Import):
                named = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                named = [node.module]
            tops = {module.partition(".")[0] for module in named}
            assert not tops & others, f"{path}, line {node.lineno}"
