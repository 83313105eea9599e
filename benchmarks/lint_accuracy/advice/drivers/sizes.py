"""How much each program does."""

ITEMS = 300
PAUSE = 0.001  # seconds
