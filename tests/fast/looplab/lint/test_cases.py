"""Each rule on sources that say in comments what it finds in them."""

from __future__ import annotations

import pytest

from looplab.lint import RULES
from tests.fast.looplab.lint.marks import EVERY, agrees, cases, marked


@pytest.mark.parametrize("name", cases())
def test_what_is_found(name):
    code, source = cases()[name]
    agrees(source, [code] if code == "LAG100" else EVERY)


def test_each_rule_has_cases():
    for code in RULES:
        places = {
            place
            for stem, source in cases().values()
            if stem == code
            for place in marked(source)
        }
        assert any(found == code for _, found in places), code
