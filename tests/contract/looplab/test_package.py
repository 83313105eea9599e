"""The front door of the package: every name is there, and nothing comes unasked."""

from __future__ import annotations

import pytest

from tests.contract.looplab.fresh import python


@pytest.mark.parametrize(
    ("code", "there", "not_there"),
    [
        ("import looplab", [], ["looplab."]),
        ("looplab.run", ["looplab.clock"], [f"looplab.{n}" for n in ("trace", "jobs")]),
        ("import looplab.pytest_plugin", [], ["looplab.clock"]),
        ("import looplab.cli", [], ["matplotlib", "flake8", "numpy", "importlib_meta"]),
    ],
)
def test_nothing_is_imported_before_it_is_used(
    code: str, there: list[str], not_there: list[str]
) -> None:
    done = python("-c", f"import looplab, sys\n{code}\nprint(*sys.modules, sep='\\n')")
    assert done.stderr == ""
    modules = done.stdout.split()
    assert "looplab" in modules
    assert {*there} <= {*modules}
    assert not [name for name in modules if name.startswith(tuple(not_there))]
