"""A small book with live cells: ``sphinx-build . _build``, beside ``node_modules``."""

project = "A small book"
extensions = ["myst_nb", "livecells"]
nb_execution_mode = "off"
exclude_patterns = ["_build", "**.ipynb_checkpoints", "node_modules"]
livecells_explorables = "figures"
livecells_reasons = {"slow": "This cell takes too long for a page."}
