"""The small crawler of chapter 5, fixed."""
