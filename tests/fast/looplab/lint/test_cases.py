"""Each rule on sources that say in comments what it finds in them."""

from __future__ import annotations

import pytest

from tests.fast.looplab.lint.marks import agrees, cases


@pytest.mark.parametrize("name", cases())
def test_what_is_found(name):
    agrees(cases()[name])
