"""A small crawler with mistakes that a linter finds.  Chapter 5 looks for them."""
