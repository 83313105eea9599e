"""The figures: the times themselves are judged in the chapter's notebook.

Here are orders of size that hold on any machine, and counts.
"""

from __future__ import annotations

from ontime import cost


def test_the_face_of_the_package() -> None:
    for name in cost.__all__:
        assert getattr(cost, name).__doc__
