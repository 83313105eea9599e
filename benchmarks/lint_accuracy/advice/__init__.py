"""The advice of the linter, applied to libraries as patches."""
