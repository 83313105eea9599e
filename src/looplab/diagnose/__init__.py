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
    from .changes import Change, chunk, faster, first, move, workers, yields
    from .fileformat import NotATraceError, load, loads
    from .latencies import Endpoint, Request, endpoints, requests
    from .ledger import Ledger, Row, blame
    from .prediction import DisagreementError, Figure, Prediction, predict
    from .recording import Callback, Code, Recording, ThreadUse
    from .replaying import NothingMatchesError, replay
    from .tags import tag
    from .virtual import record

__all__ = [
    "Callback",
    "Change",
    "Code",
    "DisagreementError",
    "Endpoint",
    "Figure",
    "Ledger",
    "NotATraceError",
    "NothingMatchesError",
    "Prediction",
    "Recording",
    "Request",
    "Row",
    "ThreadUse",
    "asgi",
    "blame",
    "chunk",
    "endpoints",
    "faster",
    "first",
    "load",
    "loads",
    "move",
    "predict",
    "record",
    "replay",
    "requests",
    "tag",
    "workers",
    "yields",
]

_HOME = {
    "Callback": "recording",
    "Change": "changes",
    "Code": "recording",
    "DisagreementError": "prediction",
    "Endpoint": "latencies",
    "Figure": "prediction",
    "Ledger": "ledger",
    "NotATraceError": "fileformat",
    "NothingMatchesError": "replaying",
    "Prediction": "prediction",
    "Recording": "recording",
    "Request": "latencies",
    "Row": "ledger",
    "ThreadUse": "recording",
    "asgi": "adapters",
    "blame": "ledger",
    "chunk": "changes",
    "endpoints": "latencies",
    "faster": "changes",
    "first": "changes",
    "load": "fileformat",
    "loads": "fileformat",
    "move": "changes",
    "predict": "prediction",
    "record": "virtual",
    "replay": "replaying",
    "requests": "latencies",
    "tag": "tags",
    "workers": "changes",
    "yields": "changes",
}


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value
