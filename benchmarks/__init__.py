"""Ratios side by side: the virtual loop against its peers, the tracer against others.

``python -m benchmarks`` makes an environment of its own, measures, prints tables and
writes ``benchmarks/results.json``.
"""
