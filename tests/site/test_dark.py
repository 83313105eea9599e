"""The built book in the dark colour scheme; see :mod:`tests.site.schemes`."""

from __future__ import annotations

from tests.site.schemes import InScheme


class TestDark(InScheme):
    scheme = "dark"
