"""How a function reaches the clean interpreter, and which ones cannot."""

from __future__ import annotations

import functools
import pickle
from typing import Any

import pytest

from ontime.cost import (
    cpu_cost,
)
from ontime.cost.plan import refer
from ontime.cost.works import nothing
from tests.contract.ontime.cost.works import (
    Thing,
    agen,
    double,
    plain,
)
from tests.fast.ontime.cost.shared import (
    needs_pyperf,
)


@needs_pyperf
@pytest.mark.parametrize(
    ("work", "says"),
    [
        (plain, "give a coroutine function .*, and its arguments as"),
        (agen, "give a coroutine function"),
        (print, "give a coroutine function"),
        (Thing, "give a coroutine function"),
        (functools.partial(double, 21), "and its arguments as"),
        (None, "None: give a coroutine function"),
    ],
)
def test_what_is_not_a_coroutine_function(work: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        cpu_cost(work)


@needs_pyperf
@pytest.mark.filterwarnings("error")
def test_a_coroutine_instead_of_a_function() -> None:
    with pytest.raises(TypeError, match="hand over the function, without calling it"):
        cpu_cost(nothing())  # type: ignore[arg-type]


@needs_pyperf
@pytest.mark.parametrize("text", ["nothing", "module:", ":name", "a b:c", "a:b c", ""])
def test_a_name_of_another_form(text: str) -> None:
    with pytest.raises(ValueError, match="write module:function"):
        cpu_cost(text)


def test_a_reference_leads_to_its_function() -> None:
    for function in nothing, Thing.static:
        reference = pickle.loads(pickle.dumps(refer(function)))
        assert reference.resolve() is function
    assert refer(plain, is_async=False).resolve() is plain
    with pytest.raises(TypeError, match="not a plain function"):
        refer("ontime.cost.works:nothing", is_async=False).resolve()
