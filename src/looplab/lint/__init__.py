"""A linter for what makes an event loop late: channels, polling, tasks, locks.

The same rules run in three ways (chapter 5):

* as a plugin of flake8: install looplab beside it, nothing else to do;
* as a command of its own: ``looplab lint PATH``, or ``python -m looplab.lint PATH``;
* from Python::

      from looplab.lint import check_source
      print(*check_source(source), sep="\\n")

======  ======================================================  ====================
code    what it objects to                                      severity
======  ======================================================  ====================
LAG101  a channel that can grow without limit                   error or warning
LAG102  a channel that another thing limits                     note, off by default
LAG201  polling: a ``while`` loop that idles with ``sleep(0)``  warning
LAG202  any other ``sleep(0)``                                  note, off by default
LAG203  polling with a short delay                              warning
LAG204  ``sleep(0)`` after a queue operation                    warning
LAG301  a task for each item, held by a semaphore               warning
LAG302  a lock of threads held across an ``await``              error
LAG303  an event of asyncio that is set in a thread             error
======  ======================================================  ====================

This package needs the standard library only; flake8 is not imported.
"""

from __future__ import annotations

import ast
import io
import warnings
from collections.abc import Iterable, Sequence

from .check import check_tree
from .comments import Silence
from .findings import RULES, Finding, Rule

__all__ = ["RULES", "Finding", "Rule", "check_source"]


def check_source(
    source: str, *, select: Iterable[str] | None = None, noqa: bool = True
) -> list[Finding]:
    """Check Python source (chapter 5).

    Args:
        source: the text of a module.
        select: the codes of the rules to apply, or beginnings of codes.  None: the
            rules that are on by default.  A rule that is off by default is applied only
            if its code is there in full.
        noqa: whether comments like ``# noqa: LAG101`` silence findings.

    Returns:
        The findings, in the order of the source.

    Raises:
        SyntaxError: the source is not Python.
        ValueError: a code in *select* begins no rule's code, or the source holds
            something that no Python source can.
        RecursionError: the source is nested too deeply for Python itself.
        MemoryError: as RecursionError; Python's parser raises either.
    """
    codes = selected(select)
    return check_lines(split(source), codes, noqa=noqa)


def selected(
    select: Iterable[str] | None, extend: Iterable[str] = (), ignore: Iterable[str] = ()
) -> frozenset[str]:
    """The codes of the rules to apply.

    Args:
        select: codes or beginnings of codes; None for the rules on by default.
        extend: more of them.
        ignore: those to leave out.

    Raises:
        ValueError: one of them begins no rule's code.
    """
    asked = [*(select if select is not None else ["LAG"]), *extend]
    left_out = list(ignore)
    for word in [*asked, *left_out]:
        if not any(code.startswith(word) for code in RULES) or not word:
            raise ValueError(f"{word!r} is no rule: there are {', '.join(RULES)}")
    return frozenset(
        rule.code
        for rule in RULES.values()
        if (
            any(rule.code.startswith(word) for word in asked)
            if rule.default
            else rule.code in asked
        )
        and not any(rule.code.startswith(word) for word in left_out)
    )


def split(source: str) -> list[str]:
    """The lines of a source with their ends, as Python counts lines."""
    return io.StringIO(source.removeprefix("\ufeff"), newline=None).readlines()


def check_lines(
    lines: Sequence[str],
    codes: frozenset[str],
    *,
    noqa: bool = True,
    notebook: bool = False,
) -> list[Finding]:
    """Check the lines of a source; for the rest see :func:`check_source`.

    Args:
        lines: the lines, with their ends.
        codes: the rules to apply.
        noqa: whether comments silence findings.
        notebook: whether ``await`` may stand outside functions.
    """
    flags = ast.PyCF_ONLY_AST | notebook * ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the source, which is not ours
        tree = compile("".join(lines), "<unknown>", "exec", flags, dont_inherit=True)
    silence = Silence(lines)
    if noqa and silence.everything():
        return []
    return [
        finding
        for finding in check_tree(tree, lines)
        if finding.code in codes
        and not (noqa and silence.covers(finding.line, finding.code))
    ]
