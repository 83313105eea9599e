"""The modules of the page that touch no page, in Node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from livecells.sphinx import texts
from tests.fast.livecells.sphinx.test_texts import TEXTS


def test_the_modules_of_the_page(node_modules: Path) -> None:
    """One of them says of a text what the build says of the same."""
    node = shutil.which("node")
    assert node is not None
    said = [
        (texts.ANSI.sub("", words), texts.columns(words), texts.is_table(words))
        for words in TEXTS
    ]
    done = subprocess.run(
        [node, "--no-warnings", str(Path(__file__).with_name("modules.mjs"))],
        env={**os.environ, "TEXTS": json.dumps(said)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
