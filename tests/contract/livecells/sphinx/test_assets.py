"""What the page fetches: small, complete, of one release, the same every time."""

from __future__ import annotations

import fnmatch
import gzip
import io
import json
import os
import re
import shutil
import zipfile
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sphinx.errors import ExtensionError

from livecells.sphinx import bundle as assets
from livecells.sphinx import library, wheels
from tests.contract.livecells.books import BUILT, COMMON, OPTIONS
from tools.common import ROOT

LOOPLAB = ROOT / "src" / "looplab"
BUDGET = 6_700_000  # bytes, compressed as a static host does
FIRST = 40_000  # of these, what every page with live cells fetches


@pytest.fixture(scope="session")
def make(node_modules: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Makes the assets of this book as its build does, in a cache of one's own."""

    def make(
        cache: Path | None = None, root: Path = ROOT, **config: Any
    ) -> assets.Bundle:
        cache = cache or tmp_path_factory.mktemp("assets")
        options = {
            **COMMON,
            "livecells_cache": str(cache),
            "livecells_wheels": OPTIONS["livecells_wheels"],
            **config,
        }
        app = SimpleNamespace(srcdir=root, outdir="", config=SimpleNamespace(**options))
        return assets.prepare(app)

    return make


@pytest.fixture(scope="session")
def bundle(make: Any) -> assets.Bundle:
    """Those of the built site."""
    made: assets.Bundle = make(BUILT)
    return made


@pytest.fixture
def make_small(make: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes assets without a wheel, for tests in which the files do not matter.

    Nothing is compiled, as where there is no Node, and packing takes little effort.
    """
    monkeypatch.setattr(library.shutil, "which", lambda _: None)
    monkeypatch.setattr(library, "PACKING", 1)
    return partial(make, livecells_wheels=[])


def unpacked(bundle: assets.Bundle, name: str) -> zipfile.ZipFile:
    """An archive as a page unpacks it."""
    data = (bundle.folder / f"{name}.bin").read_bytes()
    return zipfile.ZipFile(io.BytesIO(gzip.decompress(data)))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what the wheels are made from."""
    copy = tmp_path / "elsewhere" / "project"
    for file in wheels.project_files(ROOT):
        place = copy / file.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    return copy


def test_the_list_is_what_is_there_and_keeps_to_the_budget(
    bundle: assets.Bundle, tmp_path: Path
) -> None:
    files = [file for file in bundle.folder.rglob("*") if file.is_file()]
    assert {n: size["bytes"] for n, size in bundle.files.items()} == {
        file.relative_to(bundle.folder).as_posix(): file.stat().st_size
        for file in files
    }
    total = sum(len(gzip.compress(file.read_bytes(), 9)) for file in files)
    # The sum would be small, too, if the runtime were missing.
    assert 5_000_000 < total <= BUDGET, f"{total:,} bytes"
    listed = sum(size["gzip"] for size in bundle.files.values())
    assert listed == pytest.approx(total, rel=0.001)

    # A release is put beside the pages alone, without those before it.
    (tmp_path / "old-release").mkdir()
    (tmp_path / "explorables").mkdir()
    for _ in range(2):
        bundle.install(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {bundle.version, "explorables", "manifest.json"}
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["files"] == bundle.files
    for name in bundle.files:
        assert (tmp_path / bundle.version / name).is_file()


def test_the_scripts_fetch_little_and_know_no_other_host(bundle: assets.Bundle) -> None:
    first = ["livecells.js", "livecells.css", "explorable.js", "explorable.css"]
    assert sum(bundle.files[name]["gzip"] for name in first) < FIRST
    for file in bundle.folder.glob("*.[jc]s*"):
        text = file.read_text(encoding="utf-8")
        if file.name in first:
            # An import at the top of a module is fetched at once; import() is not.
            assert not re.search(r"\b(import|from)\s*[\"']", text), file.name
            assert "@import" not in text, file.name
        hosts = set(re.findall(r"https?://[\w.-]+", text))
        if file.name == "worker.js":
            # Pyodide's own default for packages; its list of packages is empty here.
            hosts.discard("https://cdn.jsdelivr.net")
            hosts.discard("https://livecells.invalid")  # answered from memory
        if file.name.startswith("markdown-"):
            hosts.discard("https://github.com")  # in the text of an error
        # Names of XML dialects look like addresses and are never fetched.
        assert hosts <= {"http://www.w3.org", "https://www.w3.org"}, file.name
        assert "sourceMappingURL" not in text, file.name
    lock = json.loads((bundle.folder / "pyodide/pyodide-lock.json").read_bytes())
    assert lock["packages"] == {} and lock["info"]["python"]


def test_the_standard_library_is_whole_but_for_what_a_page_cannot_use(
    bundle: assets.Bundle, node_modules: Path
) -> None:
    name = "pyodide/python_stdlib.zip"
    old, new = zipfile.ZipFile(node_modules / name), unpacked(bundle, name)
    there = {re.sub(r"\.pyc$", ".py", name) for name in new.namelist()}
    assert len(there) == len(new.namelist()), "a module has a source or a compiled form"
    assert new.testzip() is None and there < set(old.namelist())
    gone = set(old.namelist()) - there
    ours = {
        name
        for pattern in OPTIONS["livecells_without"]
        for name in fnmatch.filter(old.namelist(), pattern)
    }
    assert ours <= gone
    assert "encodings/cp437.py" in there, "zipfile reads names with it"
    others = "asyncio ftplib http imaplib multiprocessing poplib smtplib wsgiref xmlrpc"
    assert {re.split(r"[/.]", name)[0] for name in gone - ours} == set(others.split())
    for entry in ("asyncio/events.py", "doctest.py", "encodings/utf_8.py"):
        assert new.read(entry) == old.read(entry)
    # What every start imports is compiled where that is small.
    compiled = [name for name in new.namelist() if name.endswith(".pyc")]
    assert {"dataclasses.pyc", "subprocess.pyc"} <= set(compiled)
    assert not any(name.startswith(library.SOURCES) for name in compiled)
    first, *others = {new.read(name)[:4] for name in compiled}
    assert first[2:] == b"\r\n" and not others, "one Python has compiled all of them"
    # A hash that is not checked: Python looks for no source.
    assert {new.read(name)[4:8] for name in compiled} == {b"\x01\0\0\0"}
    assert {"_colorize.pyc", "contextlib.py", "selectors.py"} < set(new.namelist())


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("turtles/*", r"names 'turtles/\*', and .* has no such path: give one like"),
        ("enc*", r"names 'enc\*', and Python does not start without encodings/__init"),
    ],
)
def test_what_cannot_be_left_out_is_named(
    make_small: Any, monkeypatch: pytest.MonkeyPatch, path: str, says: str
) -> None:
    needed = library.Compiled({"encodings/__init__.py": b""})
    monkeypatch.setattr(assets, "compile_library", lambda _: needed)
    with pytest.raises(ExtensionError, match=says):
        make_small(livecells_without=[path])


def test_assets_are_made_once_for_a_choice_of_modules(
    make_small: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def library_of(*without: str) -> tuple[assets.Bundle, set[str]]:
        made = make_small(tmp_path, livecells_without=list(without))
        with unpacked(made, "pyodide/python_stdlib.zip") as archive:
            return made, set(archive.namelist())

    less, few = library_of("wave.py", "xml/*")
    whole, names = library_of()
    assert whole.version != less.version
    gone = names - few
    assert "wave.py" in gone and "xml/dom/minidom.py" in gone
    assert {name.partition("/")[0] for name in gone} == {"wave.py", "xml"}
    monkeypatch.setattr(library.subprocess, "run", lambda *_, **__: 1 / 0)
    assert library_of() == (whole, names)


@pytest.mark.slow
def test_the_same_tree_gives_the_same_assets(
    make: Any, bundle: assets.Bundle, project: Path
) -> None:
    again = make(root=project)
    assert again.folder != bundle.folder
    assert (again.version, again.files) == (bundle.version, bundle.files)


def test_a_wheel_has_its_package_and_depends_on_its_files_only(
    bundle: assets.Bundle, project: Path, tmp_path: Path
) -> None:
    assert bundle.packages == ["looplab", "ontime"]
    assert [wheel["needs"] for wheel in bundle.wheels] == [[], ["looplab"]]
    name = bundle.wheels[0]["file"]
    with unpacked(bundle, name.removesuffix(".bin")) as wheel:
        tops = {entry.split("/")[0] for entry in wheel.namelist()}
        assert {"looplab/__init__.py", "looplab/py.typed"} <= set(wheel.namelist())
    assert {re.sub(r"-.*", "", top) for top in tops} == {"looplab"}

    def made(folder: str, source: Path) -> bytes:
        (tmp_path / folder).mkdir()
        return wheels.make_wheel(source, tmp_path / folder).read_bytes()

    looplab = project / "src" / "looplab"
    for file in project.rglob("*"):
        os.utime(file, (1_000_000_000, 1_000_000_000))
        file.chmod(0o755)
    # What a build leaves behind and what is no source makes no difference.
    for scrap in ("dist/stale.py", ".cache/stale.py", "__pycache__/x.pyc"):
        (looplab / scrap).parent.mkdir(exist_ok=True)
        (looplab / scrap).write_text("")
    first = made("one", LOOPLAB)
    assert made("two", looplab) == first
    with (looplab / "__init__.py").open("a") as init:
        init.write("\n# changed\n")
    assert made("three", looplab) != first


def test_what_no_page_can_be_given_is_named(
    make: Any, make_small: Any, node_modules: Path, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 3\n")
    with pytest.raises(ExtensionError, match=r"no wheel could be made of "):
        wheels.make_wheel(tmp_path, tmp_path)
    wheel = wheels.make_wheel(LOOPLAB, tmp_path)
    with pytest.raises(ExtensionError, match="both hold 'looplab': name one of them"):
        make_small(livecells_wheels=[str(LOOPLAB), str(wheel)])


def test_a_pyodide_that_does_not_start_is_shown(
    make: Any, node_modules: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "pyodide"
    shutil.copytree(node_modules / "pyodide", broken)
    (broken / "python_stdlib.zip").write_bytes(b"no archive")
    with pytest.raises(ExtensionError, match=r"pyodide could not compile its library"):
        make(livecells_wheels=[], livecells_pyodide=str(broken))
