"""How often the linter is right: 60 projects, each place judged by a reader.

``python -m benchmarks.lint_accuracy`` fetches the wheels of ``projects.txt``, lints
them, compares the findings with ``judgements.toml``, and prints precision and recall by
rule.  ``python -m benchmarks.lint_accuracy.advice`` applies the advice as patches, and
runs for each a program that uses the library, before and after.
"""
