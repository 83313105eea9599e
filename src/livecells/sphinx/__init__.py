"""What happens while a book is built: Sphinx runs this, no browser does."""
