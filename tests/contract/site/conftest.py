"""The site, its servers and its browser, as the tests of tests/site have them."""

from tests.site.conftest import axe, browser, origin, site, visitor
from tests.site.live.conftest import controlled, driver, pictures

__all__ = [
    "axe",
    "browser",
    "controlled",
    "driver",
    "origin",
    "pictures",
    "site",
    "visitor",
]
