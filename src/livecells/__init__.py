"""Makes the cells of a page run in the reader's browser."""
