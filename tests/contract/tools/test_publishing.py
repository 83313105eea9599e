"""A tag publishes the package and the version that it names, or nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fast.tools.test_publishing import project, steps
from tools.common import ROOT

GOOD = f"ontime-v{project('ontime')['version']}"


@pytest.mark.parametrize("tag", [GOOD, "ontime-v9.9.9", "other-v1"])
@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
def test_a_tag_of_another_version_is_refused(tag: str, tmp_path: Path) -> None:
    path = ROOT / ".github" / "workflows" / "packages.yml"
    (step,) = (step for step in steps(path) if step.get("id") == "tag")
    out = tmp_path / "out"
    env = {"TAG": tag, "GITHUB_OUTPUT": str(out), "PATH": "/usr/bin:/bin"}
    command = ["bash", "-e", "-c", step["run"]]
    done = subprocess.run(command, cwd=ROOT, env=env, check=False)
    assert (done.returncode == 0) == out.exists() == (tag == GOOD)
    if tag == GOOD:
        assert out.read_text() == "package=ontime\n"
