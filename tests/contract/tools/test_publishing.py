"""What is published: citation, workflows, versions, and where it was tried."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fast.tools.test_publishing import WORKFLOWS, project, steps
from tools.common import ROOT


@pytest.mark.parametrize("tag", ["good", "ontime-v9.9.9", "other-v1"])
@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
def test_a_tag_of_another_version_is_refused(tag: str, tmp_path: Path) -> None:
    version = project("ontime")["version"]
    good = f"ontime-v{version}"
    (step,) = (
        step
        for step in steps(ROOT / ".github" / "workflows" / "packages.yml")
        if step.get("id") == "tag"
    )
    out = tmp_path / "out"
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=ROOT,
        env={"TAG": good if tag == "good" else tag, "GITHUB_OUTPUT": str(out)}
        | {"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    if tag == "good":
        assert (done.returncode, out.read_text()) == (0, "package=ontime\n")
    else:
        assert done.returncode
        assert not out.exists()


@pytest.mark.skipif(not shutil.which("actionlint"), reason="no actionlint here")
def test_actionlint() -> None:
    done = subprocess.run(
        ["actionlint", *map(str, WORKFLOWS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
