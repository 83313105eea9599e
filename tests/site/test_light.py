"""The built book in the light colour scheme; see :mod:`tests.site.schemes`."""

from __future__ import annotations

from tests.site.schemes import InScheme


class TestLight(InScheme):
    scheme = "light"
