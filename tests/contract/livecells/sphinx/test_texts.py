"""What the build says of a text: its width, and whether its lines are columns."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from livecells.sphinx import texts
from tests.contract.livecells.books import Shelf, code, notebook, printed, text
from tests.fast.livecells.sphinx.test_texts import TABLE, TEXTS
from tools.common import ROOT


def test_the_page_says_the_same() -> None:
    """The rule of ``texts.js``, on the same texts."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node here")
    script = (ROOT / "src/livecells/page/texts.js").as_uri()
    shown = json.dumps([texts.ANSI.sub("", one) for one in TEXTS])
    program = f"""
      import {{ tellSize }} from {json.dumps(script)};
      const said = {shown}.map((text) => {{
        const style = {{ setProperty(_, value) {{ this.columns = value; }} }};
        const block = {{ className: "output stream highlight-x", style }};
        tellSize(block, text);
        return [style.columns, block.className];
      }});
      console.log(JSON.stringify(said));
    """
    done = subprocess.run(
        [node, "--input-type=module", "--eval", program],
        capture_output=True,
        text=True,
        check=True,
    )
    table = "output stream livecell-table highlight-x"
    plain = "output stream highlight-x"
    assert json.loads(done.stdout) == [
        [texts.columns(one), table if texts.is_table(one) else plain] for one in TEXTS
    ]


def test_an_output_carries_its_size(shelf: Shelf) -> None:
    cell = code("print()", "a", outputs=[printed(TABLE)])
    page = shelf.build(
        {"index.ipynb": notebook(text("# Lab\n\n```text\nfour\n```"), cell)}
    ).page()
    style = 'style="--livecell-columns: 19;"'
    kinds = "output stream livecell-table highlight-myst-ansi notranslate"
    assert f'<div class="{kinds}" {style}>' in page
    assert 'class="highlight-text notranslate" style="--livecell-columns: 4;"' in page
