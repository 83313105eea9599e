"""Options that cannot be meant so stop the build, with the value and the fix."""

from __future__ import annotations

from typing import Any

from sphinx.errors import ExtensionError

__all__ = ["check_options"]


def check_options(config: Any) -> None:
    """Stop at an option that cannot be meant so, with the value and the fix."""
    limit = config.livecells_output_limit
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1000:
        raise ExtensionError(
            f"livecells_output_limit is {limit!r}: give a number of characters, "
            "1000 or more"
        )
    timeout = config.livecells_timeout
    if not isinstance(timeout, (int, float)) or not timeout > 0:
        raise ExtensionError(
            f"livecells_timeout is {timeout!r}: give a number of seconds above 0"
        )
    tag = config.livecells_tag
    if not isinstance(tag, str) or not tag.strip() or tag != tag.strip():
        raise ExtensionError(
            f'livecells_tag is {tag!r}: give the tag of the live cells, such as "live"'
        )
    if isinstance(config.livecells_wheels, str):
        raise ExtensionError(
            f"livecells_wheels is {config.livecells_wheels!r}: give a list of paths, "
            f"here [{config.livecells_wheels!r}]"
        )
    reasons = config.livecells_reasons
    if not isinstance(reasons, dict) or not all(
        isinstance(text, str) for pair in reasons.items() for text in pair
    ):
        raise ExtensionError(
            f"livecells_reasons is {reasons!r}: give a sentence for each tag, such as "
            '{"measured": "This cell runs on your own machine only."}'
        )
    without = config.livecells_without
    if isinstance(without, str) or not all(
        isinstance(pattern, str) for pattern in without
    ):
        raise ExtensionError(
            f"livecells_without is {without!r}: give a list of paths in the standard "
            'library, such as ["xml/*"]'
        )
