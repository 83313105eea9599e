"""The case of the slow tests, run for real, and the tools that find its cause.

``python book/examples/spinning_loop/capture.py`` makes everything that chapter 6 shows:

* :mod:`.fresh` runs the published test in fresh processes, as the article did, and
  :mod:`.watching` reads what tracers and debuggers say of it;
* :mod:`.realcase` runs the published test (websockets opened at once through a test
  client) with the libraries of its time and with today's, again and again in one
  process;
* ``tools.sh`` runs each tool on the case distilled to the standard library;
* :mod:`.guard` is the test that fails when an idle loop turns;
* :mod:`.free` measures hops on a Python without the GIL.

What they wrote lies in ``captures/``.  Nothing there is edited by hand.
"""
