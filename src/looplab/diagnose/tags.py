"""What a piece of work is called: an endpoint, the type of a message, a name of yours.

A tag lives in a context variable, so the tasks that work starts carry it too.  The
recorder reads it from the context of each callback.

>>> from looplab import tag
>>> with tag("rebuild index"):
...     pass
"""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable
from contextvars import ContextVar, Token
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .recorder import Recorder

_number = count(1).__next__
#: In place of an arrival: not a request, but a block of :class:`tag`.
BLOCK = -2


class Tag:
    """One piece of work.  Two pieces can have one name; their numbers differ.

    Attributes:
        number: counts the tags of this process, from 1.
        name: what the report calls it.
        arrived: when its data came, or -1; :data:`BLOCK` if nobody outside waits.
    """

    __slots__ = ("arrived", "began", "first", "name", "noted", "number", "task")

    first: int  #: the number of the callback in which it began
    began: int  #: when, by the clock of the recorder
    task: Callable[[], Any]  #: the task that it runs in
    noted: int  #: the identity of the future that it was seen to wait for

    def __init__(self, name: str) -> None:
        self.number = _number()
        self.name = name
        self.arrived = BLOCK


class Request(Tag):
    """A piece of work that somebody outside waits for."""

    __slots__ = ("recorder",)

    recorder: Recorder | None  #: that of the loop in which it began

    def begin(self, fd: int | None = None) -> Request:
        """Note that the work begins here and now, and put the tag in force.

        *fd* is the connection that its data came on, if the recorder cannot know.
        """
        CURRENT.set(self)
        self.arrived = -1
        self.recorder = recorder = recorders.get(get_ident())
        if recorder is not None:
            recorder.begins(self, None, fd)
        return self

    def end(self) -> None:
        """Note that the work is done.  The second call does nothing."""
        recorder, self.recorder = self.recorder, None
        if recorder is not None:
            recorder.ends(self)


#: The tag in force in this context, or None.
CURRENT: ContextVar[Tag | None] = ContextVar("looplab.tag", default=None)

#: The recorder of the loop that runs in a thread, by the thread's identity.
recorders: dict[int, Recorder] = {}


class tag:  # noqa: N801 - it is used as `with tag(name):`
    """Give the work inside a ``with`` block a name in the report.

    Costs about a microsecond, and two while a recording is made.

    Args:
        name: such as the type of a message.

    Raises:
        TypeError: if *name* is not a text.

    Introduced in the chapter *Diagnose your own program*.
    """

    __slots__ = ("_name", "_tokens")

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            kind = type(name).__name__
            raise TypeError(f"tag() takes the name of the work, a str, not {kind}")
        self._name = name
        self._tokens: list[Token[Tag | None]] = []

    def __enter__(self) -> Tag:
        work = Tag(self._name)
        self._tokens.append(token := CURRENT.set(work))
        recorder = recorders.get(get_ident())
        if recorder is not None:
            recorder.begins(work, token.old_value)
        return work

    def __exit__(self, *raised: object) -> None:
        token = self._tokens.pop()
        work = CURRENT.get()
        CURRENT.reset(token)
        recorder = recorders.get(get_ident())
        if recorder is not None and work is not None:
            recorder.ends(work, token.old_value)
