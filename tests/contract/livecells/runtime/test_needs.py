"""Which cells run before another one, in the Python of a page."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import livecells.runtime
from tests.fast.livecells.runtime.test_needs import CASES

IN_PYODIDE = """
import { loadPyodide } from "%(module)s";
import { readdirSync, readFileSync } from "node:fs";
const python = await loadPyodide({ indexURL: "%(pyodide)s/" });
python.FS.mkdirTree("/code/livecells_runtime");
for (const name of readdirSync("%(runtime)s").filter((one) => one.endsWith(".py")))
  python.FS.writeFile(
    "/code/livecells_runtime/" + name, readFileSync("%(runtime)s/" + name));
python.globals.set("cases", readFileSync(0, "utf8"));
console.log(python.runPython(`
import json, sys
sys.path.insert(0, "/code")
from livecells_runtime import Session
def plan(sources):
    cells = [{"id": str(i), "source": source} for i, source in enumerate(sources)]
    found = Session(print).plan(cells, cells[-1]["id"])
    return [int(name) for name in found]
json.dumps([plan(sources) for sources in json.loads(cases)])`));
"""


def test_the_python_of_a_page_finds_the_same(node_modules: Path) -> None:
    """Its version is another one, whose table of names may be, too."""
    node = shutil.which("node")
    assert node is not None
    parts = {
        "module": (node_modules / "pyodide" / "pyodide.mjs").as_uri(),
        "pyodide": (node_modules / "pyodide").as_posix(),
        "runtime": Path(livecells.runtime.__file__).parent.as_posix(),
    }
    done = subprocess.run(
        [node, "--input-type=module", "--eval", IN_PYODIDE % parts],
        input=json.dumps([sources for sources, _ in CASES]),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    wrong = [
        (*case, plan)
        for case, plan in zip(CASES, found, strict=True)
        if plan != case[1]
    ]
    assert not wrong
