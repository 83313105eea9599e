"""A linter for what makes an event loop late: channels, polling, tasks, locks.

The same rules run in three ways (chapter 5):

* as a plugin of flake8: install looplab beside it, nothing else to do;
* as a command of its own: ``looplab lint PATH``, or ``python -m looplab.lint PATH``,
  which is flake8 with these rules alone;
* from Python, without flake8::

      from looplab.lint import check_source
      print(*check_source(source), sep="\\n")

``looplab lint --help`` lists the rules, and ``RULES`` has them.
"""

from __future__ import annotations

import ast
import io
import warnings
from collections.abc import Iterable

from .findings import Finding, Rule
from .rules import RULES, check_tree

__all__ = ["RULES", "Finding", "Rule", "check_source"]


def check_source(source: str, *, select: Iterable[str] | None = None) -> list[Finding]:
    """Check Python source (chapter 5).  Comments are not looked at.

    Args:
        source: the text of a module.
        select: the codes of the rules to apply, or beginnings of codes.  None: the
            rules that are on by default.  A rule that is off by default is applied only
            if its code is there in full.

    Returns:
        The findings, in the order of the source.

    Raises:
        SyntaxError: the source is not Python.
        ValueError: a code in *select* begins no rule's code, or the source holds
            something that no Python source can.
        RecursionError: the source is nested too deeply for Python itself.
        MemoryError: as RecursionError; Python's parser raises either.
    """
    asked = list(select if select is not None else ["LAG"])
    for word in asked:
        if not word or not any(code.startswith(word) for code in RULES):
            raise ValueError(f"{word!r} is no rule: there are {', '.join(RULES)}")
    codes = {
        rule.code
        for rule in RULES.values()
        if rule.code in asked or (rule.default and rule.code.startswith(tuple(asked)))
    }
    text = io.StringIO(source.removeprefix("\ufeff"), newline=None).read()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the source, which is not ours
        tree = compile(text, "<unknown>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    findings = check_tree(tree, io.StringIO(text).readlines())
    return [finding for finding in findings if finding.code in codes]
