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
from collections.abc import Iterator
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


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Compile nothing, as where there is no Node, and pack with little effort."""
    patch.setattr(library.shutil, "which", lambda _: None)
    patch.setattr(library, "PACKING", 1)


@pytest.fixture(scope="session")
def small(make: Any) -> assets.Bundle:
    """The assets without a wheel, made in a hurry."""
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch)
        made: assets.Bundle = make(livecells_wheels=[])
    return made


@pytest.fixture
def make_small(make: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes such assets, for tests in which the files themselves do not matter."""
    hurry(monkeypatch)
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


# ---- what is there ----------------------------------------------------------


def test_the_list_is_what_is_there_and_keeps_to_the_budget(
    bundle: assets.Bundle,
) -> None:
    files = [file for file in bundle.folder.rglob("*") if file.is_file()]
    assert {n: size["bytes"] for n, size in bundle.files.items()} == {
        file.relative_to(bundle.folder).as_posix(): file.stat().st_size
        for file in files
    }
    total = sum(len(gzip.compress(file.read_bytes(), 9)) for file in files)
    assert total <= BUDGET, f"{total:,} bytes"
    # The sum would be small, too, if the runtime were missing.
    assert total > 5_000_000
    listed = sum(size["gzip"] for size in bundle.files.values())
    assert listed == pytest.approx(total, rel=0.001)


def test_before_the_first_click_a_page_fetches_little(bundle: assets.Bundle) -> None:
    first = ["livecells.js", "livecells.css", "explorable.js", "explorable.css"]
    assert sum(bundle.files[name]["gzip"] for name in first) < FIRST
    for name in first:
        text = (bundle.folder / name).read_text(encoding="utf-8")
        # An import at the top of a module is fetched at once; import() is not.
        assert not re.search(r"\b(import|from)\s*[\"']", text), name
        assert "@import" not in text, name


def test_the_scripts_know_no_other_host(bundle: assets.Bundle) -> None:
    for file in bundle.folder.glob("*.[jc]s*"):
        text = file.read_text(encoding="utf-8")
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


@pytest.fixture(scope="session")
def libraries(
    bundle: assets.Bundle, node_modules: Path
) -> Iterator[tuple[zipfile.ZipFile, zipfile.ZipFile]]:
    """The archive of the standard library as it came, and that of the page."""
    name = "pyodide/python_stdlib.zip"
    with (
        zipfile.ZipFile(node_modules / name) as old,
        unpacked(bundle, name) as new,
    ):
        yield old, new


def test_the_standard_library_is_whole_but_for_what_a_page_cannot_use(
    libraries: tuple[zipfile.ZipFile, zipfile.ZipFile],
) -> None:
    old, new = libraries
    there = {re.sub(r"\.pyc$", ".py", name) for name in new.namelist()}
    assert len(there) == len(new.namelist()), "a module has a source or a compiled form"
    gone = set(old.namelist()) - there
    ours = {
        name
        for pattern in OPTIONS["livecells_without"]
        for name in fnmatch.filter(old.namelist(), pattern)
    }
    assert ours <= gone
    assert "encodings/cp437.py" in there, "zipfile reads names with it"
    assert {re.split(r"[/.]", name)[0] for name in gone - ours} == {
        "asyncio",
        "ftplib",
        "http",
        "imaplib",
        "multiprocessing",
        "poplib",
        "smtplib",
        "wsgiref",
        "xmlrpc",
    }
    assert there < set(old.namelist())
    assert new.testzip() is None
    for entry in ("asyncio/events.py", "doctest.py", "encodings/utf_8.py"):
        assert new.read(entry) == old.read(entry)


def test_what_every_start_imports_is_compiled_where_that_is_small(
    libraries: tuple[zipfile.ZipFile, zipfile.ZipFile],
) -> None:
    _, new = libraries
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
        (
            "enc*",
            r"names 'enc\*', and Python does not start without encodings/__init__",
        ),
    ],
)
def test_what_cannot_be_left_out_is_named(
    make_small: Any, monkeypatch: pytest.MonkeyPatch, path: str, says: str
) -> None:
    needed = library.Compiled({"encodings/__init__.py": b""})
    monkeypatch.setattr(assets, "compile_library", lambda _: needed)
    with pytest.raises(ExtensionError, match=says):
        make_small(livecells_without=[path])


def test_another_choice_of_modules_makes_other_assets(
    make_small: Any, tmp_path: Path
) -> None:
    def library(*without: str) -> tuple[str, set[str]]:
        made = make_small(tmp_path, livecells_without=list(without))
        with unpacked(made, "pyodide/python_stdlib.zip") as archive:
            return made.version, set(archive.namelist())

    whole, less = library(), library("wave.py", "xml/*")
    assert whole[0] != less[0]
    gone = whole[1] - less[1]
    assert "wave.py" in gone and "xml/dom/minidom.py" in gone
    assert {name.partition("/")[0] for name in gone} == {"wave.py", "xml"}


# ---- releases ---------------------------------------------------------------


@pytest.mark.slow
def test_the_same_tree_gives_the_same_assets(
    make: Any, bundle: assets.Bundle, project: Path
) -> None:
    again = make(root=project)
    assert again.folder != bundle.folder
    assert (again.version, again.files) == (bundle.version, bundle.files)


def test_a_release_is_put_beside_the_pages_alone(
    bundle: assets.Bundle, tmp_path: Path
) -> None:
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


# ---- the cache --------------------------------------------------------------


def test_a_second_build_makes_nothing(
    make_small: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_small(tmp_path)
    monkeypatch.setattr(library.subprocess, "run", lambda *_, **__: 1 / 0)
    assert make_small(tmp_path) == first


# ---- the wheel --------------------------------------------------------------


def test_a_wheel_has_its_package_and_nothing_else(bundle: assets.Bundle) -> None:
    assert bundle.packages == ["looplab", "ontime"]
    assert [wheel["needs"] for wheel in bundle.wheels] == [[], ["looplab"]]
    name = bundle.wheels[0]["file"]
    with unpacked(bundle, name.removesuffix(".bin")) as wheel:
        tops = {entry.split("/")[0] for entry in wheel.namelist()}
        assert wheel.testzip() is None
        assert {"looplab/__init__.py", "looplab/py.typed"} <= set(wheel.namelist())
    assert {re.sub(r"-.*", "", top) for top in tops} == {"looplab"}


def test_the_wheel_depends_on_the_files_only(project: Path, tmp_path: Path) -> None:
    one, two, three = (tmp_path / n for n in ("one", "two", "three"))
    for folder in (one, two, three):
        folder.mkdir()
    first = wheels.make_wheel(LOOPLAB, one).read_bytes()
    looplab = project / "src" / "looplab"
    for file in project.rglob("*"):
        os.utime(file, (1_000_000_000, 1_000_000_000))
        file.chmod(0o755)
    # What a build leaves behind and what is no source makes no difference.
    for scrap in ("dist/stale.py", ".cache/stale.py", "__pycache__/x.pyc"):
        place = looplab / scrap
        place.parent.mkdir(exist_ok=True)
        place.write_text("")
    assert wheels.make_wheel(looplab, two).read_bytes() == first
    init = looplab / "__init__.py"
    init.write_text(init.read_text() + "\n# changed\n")
    assert wheels.make_wheel(looplab, three).read_bytes() != first


def test_a_project_that_cannot_be_built_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "pyproject.toml").write_text("[project]\nname = 3\n")
    with pytest.raises(ExtensionError, match=r"no wheel could be made of .*broken"):
        wheels.make_wheel(broken, tmp_path)


def test_two_wheels_of_one_package_are_refused(make_small: Any, tmp_path: Path) -> None:
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
