"""Binder: what it is given, as far as it can be tried without it."""

import re

from tools.common import ROOT

BINDER = ROOT / ".binder"


def test_binder_gets_the_environment_of_make_lab_and_every_package() -> None:
    text = (BINDER / "requirements.txt").read_text("utf-8")
    named = re.findall(r"^-r (\S+)$", text, re.MULTILINE)
    files = [(BINDER / name).resolve(strict=True) for name in named]
    assert files == [ROOT / "requirements.txt", ROOT / "tools/lab_requirements.txt"]
    script = (BINDER / "postBuild").read_text("utf-8")
    packages = {path.parent.name for path in ROOT.glob("src/*/pyproject.toml")}
    assert set(re.findall(r"-e src/(\w+)", script)) == packages
