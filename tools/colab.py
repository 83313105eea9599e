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
from pathlib import Path
from typing import Any

import yaml

from tools.common import ROOT, ToolError, ended, say

__all__ = ["copies", "first_cell"]

FIRST = """\
# Installs what this lab needs, where it is not there yet.
from importlib.util import find_spec

if find_spec("ontime") is None:
    !git clone --quiet --depth 1 REPOSITORY on-time
    %pip install --quiet ./on-time/src/looplab "./on-time/src/ontime[all]" PIN
    %cd -q on-time/notebooks
"""


def first_cell(address: str, root: Path = ROOT) -> dict[str, Any]:
    """The cell that installs the course from a repository."""
    pins = (root / "requirements.txt").read_text(encoding="utf-8")
    pin = re.search(r"^myst-nb==[\w.]+", pins, re.MULTILINE)
    if pin is None:  # the labs hand their figures to the pages with it
        raise ToolError("requirements.txt does not pin myst-nb: make lock.")
    code = FIRST.replace("REPOSITORY", address).replace("PIN", pin[0])
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": "install",
        "metadata": {"tags": ["measured", "nbval-ignore-output"]},
        "outputs": [],
        "source": code.splitlines(keepends=True),
    }


def copies(folder: Path, root: Path = ROOT) -> None:
    """Write the copies of all labs, if the project names its repository."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    address = config["sphinx"]["config"]["lab_repository"]
    if not address:
        say("lab_repository in _config.yml is empty: there is nothing to copy.")
        return
    first = first_cell(address, root)
    folder.mkdir(parents=True, exist_ok=True)
    for lab in sorted((root / "notebooks").glob("*.ipynb")):
        notebook = json.loads(lab.read_text(encoding="utf-8"))
        notebook["cells"].insert(0, first)
        text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        (folder / lab.name).write_text(text, encoding="utf-8")
    say(f"The copies are in {folder}.")


if __name__ == "__main__":
    sys.exit(ended(lambda: copies(Path(sys.argv[1], "notebooks"))))
