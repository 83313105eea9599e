"""Live cells beside JupyterLite: bytes, and seconds from the click to the output.

``python -m benchmarks.livecells`` builds a JupyterLite from its published packages,
serves it and the built book from this machine, visits both in Chromium and Firefox,
prints tables and writes ``benchmarks/live_results.json``.
"""
