"""The copies of the labs that Colab opens: ``python -m tools.colab FOLDER``.

Each is the lab with one cell more at its front. The cell installs what the lab needs on
a machine that does not have it, and does nothing where the course is installed. The
workflow of the site puts the copies on the branch ``colab`` of the repository that
``lab_repository`` in ``_config.yml`` names.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.common import ROOT, ToolError, say

__all__ = ["copy_of", "first_cell", "main", "repository"]

FIRST = """\
# Installs what this lab needs, where it is not there yet.
from importlib.util import find_spec

if find_spec("ontime") is None:
    !git clone --quiet --depth 1 REPOSITORY on-time
    %pip install --quiet ./on-time/src/looplab "./on-time/src/ontime[all]" PIN
    %cd -q on-time/notebooks
"""


def repository(root: Path = ROOT) -> str:
    """The address that ``_config.yml`` gives; empty when it gives none."""
    text = (root / "_config.yml").read_text(encoding="utf-8")
    found = re.search(r'^ +lab_repository: *"([^"]*)"', text, re.MULTILINE)
    if found is None:
        raise ToolError('_config.yml has no line lab_repository: "…": add it.')
    return found[1]


def first_cell(address: str, root: Path = ROOT) -> str:
    """The code of the cell, for a repository."""
    text = (root / "requirements.txt").read_text(encoding="utf-8")
    found = re.search(r"^myst-nb==[\w.]+", text, re.MULTILINE)
    if found is None:  # the labs hand their figures to the pages with it
        raise ToolError("requirements.txt does not pin myst-nb: make lock.")
    return FIRST.replace("REPOSITORY", address).replace("PIN", found[0])


def copy_of(notebook: Mapping[str, Any], code: str) -> dict[str, Any]:
    """A lab with one cell more at its front."""
    first = {
        "cell_type": "code",
        "execution_count": None,
        "id": "install",
        "metadata": {"tags": ["measured", "nbval-ignore-output"]},
        "outputs": [],
        "source": code.splitlines(keepends=True),
    }
    return {**notebook, "cells": [first, *notebook["cells"]]}


def main(words: Sequence[str], root: Path = ROOT) -> int:
    """Write the copies, and return the exit status."""
    if len(words) != 1:
        say("usage: python -m tools.colab FOLDER")
        return 2
    address = repository(root)
    if not address:
        say("lab_repository in _config.yml is empty: there is nothing to copy.")
        return 0
    code = first_cell(address, root)
    folder = Path(words[0], "notebooks")
    folder.mkdir(parents=True, exist_ok=True)
    for lab in sorted((root / "notebooks").glob("*.ipynb")):
        copied = copy_of(json.loads(lab.read_text(encoding="utf-8")), code)
        text = json.dumps(copied, indent=1, ensure_ascii=False) + "\n"
        folder.joinpath(lab.name).write_text(text, encoding="utf-8")
    say(f"The copies are in {folder}.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except ToolError as error:
        sys.exit(f"error: {error}")
