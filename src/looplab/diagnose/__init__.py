"""Diagnose a real program: who makes it late, and what a change would bring.

``looplab trace`` runs a program and records every callback of its event loops in a
file.  This room reads such files and answers questions about them::

    from looplab.diagnose import load

    recording = load("trace.jsonl")[0]
    recording.blame()      # who made others wait, the worst first
    recording.replay(...)  # what a change would bring
    recording.requests()   # each request: in the kernel, in the queue, running

Recording needs a real machine.  Reading, blaming and replaying are plain Python and run
in a browser too.

The room uses the standard library only.  Nothing is imported before it is used.
Introduced in the chapter *Diagnose your own program*.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .adapters import asgi
    from .changes import Change, chunk, faster, move, workers, yields
    from .events import Callback, Code, ThreadUse
    from .fileformat import NotATraceError, load, loads
    from .latencies import Endpoint, Request, endpoints
    from .ledger import Ledger, Row
    from .prediction import DisagreementError, Figure, Prediction, predict
    from .recording import Recording
    from .replaying import NothingMatchesError, replay
    from .tags import tag
    from .virtual import record

__all__ = ["Callback", "Change", "Code", "DisagreementError", "Endpoint", "Figure"]
__all__ += ["Ledger", "NotATraceError", "NothingMatchesError", "Prediction"]
__all__ += ["Recording", "Request", "Row", "ThreadUse", "asgi", "chunk", "endpoints"]
__all__ += ["faster", "load", "loads", "move", "predict", "record", "replay"]
__all__ += ["tag", "workers", "yields"]

_HOMES = {
    "adapters": ("asgi",),
    "changes": ("Change", "chunk", "faster", "move", "workers", "yields"),
    "events": ("Callback", "Code", "ThreadUse"),
    "fileformat": ("NotATraceError", "load", "loads"),
    "latencies": ("Endpoint", "Request", "endpoints"),
    "ledger": ("Ledger", "Row"),
    "prediction": ("DisagreementError", "Figure", "Prediction", "predict"),
    "recording": ("Recording",),
    "replaying": ("NothingMatchesError", "replay"),
    "tags": ("tag",),
    "virtual": ("record",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value
