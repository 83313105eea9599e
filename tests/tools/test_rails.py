"""The rails: one clear line for what a user can mend, and an environment to trust."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import tomllib
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.left import PATIENCE, SLOW
from tools import commands, environment, run, site
from tools.common import ROOT, ToolError, digest


def requirement_names(text):
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    return {re.split(r"[=<>;\[ ]", line)[0].lower() for line in lines if line}


# ---- the Python -------------------------------------------------------------


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 8, 1), (3, 10, 14)])
def test_an_old_python_is_named_with_the_fix(version):
    line = run.complaint(version, "/usr/bin/python3")
    assert "3.11 or newer" in line
    assert f"/usr/bin/python3 is Python {version[0]}.{version[1]};" in line
    assert "PYTHON=" in line
    assert "\n" not in line


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 14, 0), (4, 0, 0)])
def test_a_new_python_is_welcome(version):
    assert run.complaint(version, "python3") is None


def test_an_old_python_stops_before_anything_else():
    code = (
        "import sys, runpy; sys.version_info = (3, 9, 2);"
        f"runpy.run_path({str(ROOT / 'tools' / 'run.py')!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("error: Python 3.11 or newer is needed")


def make(*words, path):
    environ = {"PATH": str(path), "HOME": str(path)}
    return subprocess.run(
        ["/usr/bin/make", *words],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not os.path.exists("/usr/bin/make"), reason="no make here")  # noqa: PTH110
def test_no_python_at_all_is_one_line(tmp_path):
    (tmp_path / "sh").symlink_to("/bin/sh")
    done = make("book", path=tmp_path)
    first, second = done.stderr.splitlines()
    assert first.startswith("error: no Python found")
    assert second.startswith("make: ***")
    assert done.returncode == 2


@pytest.mark.skipif(not os.path.exists("/usr/bin/make"), reason="no make here")  # noqa: PTH110
@pytest.mark.parametrize("name", ["python3", "python"])
def test_make_finds_python_under_either_name(tmp_path, name):
    (tmp_path / "sh").symlink_to("/bin/sh")
    fake = tmp_path / name
    fake.write_text("#!/bin/sh\necho started $0 $@\n")
    fake.chmod(0o755)
    done = make("book", "PORT=8123", path=tmp_path)
    assert done.stdout == f"started {fake} tools/run.py book --port 8123\n"


# ---- the port ---------------------------------------------------------------


def test_a_busy_port_is_one_line_before_the_build(capsys, monkeypatch):
    def never(*_):
        raise AssertionError("the build began")

    monkeypatch.setattr(environment, "ensure_venv", never)
    monkeypatch.setattr(site, "build", never)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert commands.main(["book", "--port", str(port)]) == 1
    error = capsys.readouterr().err
    assert error == (
        f"error: port {port} is busy: choose another, "
        f"for example: make book PORT={port + 1}\n"
    )


@pytest.mark.parametrize("text", ["", "http", "-1", "0", "65536", "8 000", "８０００"])
def test_a_port_that_is_none_is_one_line(text, capsys):
    assert commands.main(["book", f"--port={text}"]) == 2
    error = capsys.readouterr().err
    assert error == f"error: PORT={text} is no port: give a number from 1 to 65535.\n"


def test_the_server_answers_on_this_machine_only(tmp_path):
    (tmp_path / "a.mjs").write_text("export {};")
    server = site.Server(0)
    thread = threading.Thread(target=server.serve_folder, args=(tmp_path,))
    thread.start()
    try:
        assert server.server_address[0] == "127.0.0.1"
        with urllib.request.urlopen(
            server.address + "a.mjs", timeout=PATIENCE
        ) as answer:
            assert answer.read() == b"export {};"
            assert answer.headers["Content-Type"] == "text/javascript"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter on Windows")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_server_quietly(tmp_path, number):
    code = (
        "import sys; from pathlib import Path; from tools.site import Server;"
        "Server(0).serve(Path(sys.argv[1]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline().startswith("The book is at http://127.0.0.1:")
    process.send_signal(number)
    _, error = process.communicate(timeout=SLOW)
    assert (process.returncode, error) == (0, "")


# ---- Node -------------------------------------------------------------------


def test_missing_node_is_one_line_before_anything_else(capsys, monkeypatch):
    monkeypatch.setattr(environment.shutil, "which", lambda name: None)
    monkeypatch.setattr(environment, "ensure_venv", lambda: 1 / 0)
    assert commands.main(["test"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith("error: Node.js with npm is needed")


@pytest.fixture
def nodeless(tmp_path, monkeypatch):
    """A project on a machine without Node."""
    monkeypatch.setattr(environment.shutil, "which", lambda name: None)
    return tmp_path


def test_the_book_is_built_without_node_and_one_line_says_so(nodeless, capsys):
    environment.offer_node_modules(nodeless)
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert "without cells that run in the page" in said
    assert not environment.has_node_modules(nodeless)


def test_node_packages_that_are_there_need_no_node(nodeless, capsys):
    for part in ("pyodide", "esbuild"):
        folder = nodeless / "node_modules" / part
        folder.mkdir(parents=True)
        (folder / "package.json").write_text("{}")
    assert not environment.has_node_modules(nodeless)
    (nodeless / "node_modules" / "@esbuild").mkdir()
    environment.offer_node_modules(nodeless)
    assert capsys.readouterr().out == ""
    assert environment.has_node_modules(nodeless)


def test_node_packages_that_cannot_be_installed_stop_the_build(nodeless, monkeypatch):
    monkeypatch.setattr(environment.shutil, "which", lambda name: f"/no/{name}")
    failed = subprocess.CompletedProcess([], 1)
    monkeypatch.setattr(environment.subprocess, "run", lambda *_, **__: failed)
    for name in ("package.json", "package-lock.json"):
        (nodeless / name).write_text("{}")
    with pytest.raises(ToolError, match="npm ci failed"):
        environment.offer_node_modules(nodeless)


def test_more_words_reach_pytest(monkeypatch):
    seen = []
    monkeypatch.setattr(environment, "ensure_node_modules", lambda: None)
    monkeypatch.setattr(environment, "ensure_venv", lambda: "venv")
    monkeypatch.setattr(site, "build", lambda venv: None)
    monkeypatch.setattr(commands, "run", lambda *words: seen.append(words))
    assert commands.main(["test", "-q", "tests/looplab", "-k", "clock"]) == 0
    assert seen == [("venv", "-m", "pytest", "-q", "tests/looplab", "-k", "clock")]


@pytest.fixture
def runs(monkeypatch):
    """The words of each run of pytest that the command makes."""
    seen = []

    monkeypatch.setattr(environment, "ensure_node_modules", lambda: None)
    monkeypatch.setattr(environment, "ensure_venv", lambda: "venv")
    monkeypatch.setattr(site, "build", lambda venv: None)
    monkeypatch.setattr(commands, "run", lambda *words: seen.append(words))
    monkeypatch.delenv("ON_TIME_SHORT", raising=False)
    return seen


def test_in_full_nothing_is_selected(runs, monkeypatch):
    monkeypatch.setenv("ON_TIME_FULL", "1")
    assert commands.main(["test"]) == 0
    assert "ON_TIME_SHORT" not in os.environ
    (words,) = runs
    assert words[1:3] == ("-m", "pytest")
    assert not {"-m", "-k", "--deselect", "--ignore"} & set(words[3:])
    assert not [word for word in words if word.startswith(("tests", "notebooks"))]


def test_without_words_only_the_long_forms_stay_out(runs, monkeypatch):
    monkeypatch.setenv("ON_TIME_FULL", "1")
    assert commands.main(["test"]) == 0
    full = [list(words) for words in runs]
    runs.clear()
    monkeypatch.delenv("ON_TIME_FULL")
    assert commands.main(["test"]) == 0
    assert os.environ.pop("ON_TIME_SHORT") == "1"
    for words, all_words in zip(runs, full, strict=True):
        assert [one for one in words if one not in ("-m", "not full")] == [
            one for one in all_words if one != "-m"
        ]
        assert "not full" in words and "not full" not in all_words


@pytest.mark.full  # it collects everything
def test_every_file_of_tests_is_collected():
    files = {name.partition("::")[0] for name in collected()}
    written = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if "_build" not in path.parts
    }
    assert written and written <= files, written - files


def test_a_plain_run_opens_one_browser():
    folders = "tests/site/live", "tests/livecells/page"
    some = collected(*folders, "-m", "not full")
    for folder in folders:
        assert any(name.startswith(folder) and "chromium" in name for name in some)
    assert not any("firefox" in name for name in some)
    everything = collected(*folders)
    for folder in folders:
        whole = [name for name in everything if name.startswith(folder)]
        assert any("firefox" in name for name in whole)


def collected(*words):
    """The tests that pytest would run with these words."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "-n", "0", "--collect-only", "-q"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_more_words_elsewhere_are_refused(capsys):
    with pytest.raises(SystemExit) as caught:
        commands.main(["build", "--fast"])
    assert caught.value.code == 2
    assert "build takes no --fast" in capsys.readouterr().err


# ---- the environment --------------------------------------------------------


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose environments are made by a stand-in for venv and pip."""
    (tmp_path / "requirements.txt").write_text("a==1\n")
    (tmp_path / "src" / "one").mkdir(parents=True)
    (tmp_path / "src" / "one" / "pyproject.toml").write_text("[project]\n")
    made = []

    def make_venv(venv):
        made.append(venv)
        python = environment.venv_python(venv)
        python.parent.mkdir(parents=True)
        python.write_text("")

    monkeypatch.setattr(environment, "_make_venv", make_venv)
    monkeypatch.setattr(environment, "_install", lambda *_: None)
    return tmp_path, made


def test_a_finished_environment_is_kept(project):
    root, made = project
    environment.ensure_venv(root)
    environment.ensure_venv(root)
    assert len(made) == 1


def test_commands_at_the_same_time_make_it_once(project, monkeypatch):
    root, made = project
    monkeypatch.setattr(environment, "_install", lambda *_: time.sleep(0.1))
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: environment.ensure_venv(root), range(3)))
    assert len(made) == 1


@pytest.mark.parametrize("name", ["requirements.txt", "src/one/pyproject.toml"])
def test_a_changed_file_makes_it_anew(project, name):
    root, made = project
    venv = environment.ensure_venv(root)
    (venv / "old").write_text("")
    (root / name).write_text("b==2\n")
    environment.ensure_venv(root)
    assert len(made) == 2
    assert not (venv / "old").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ToolError("pip failed")])
def test_an_interrupted_creation_is_never_taken_for_good(project, monkeypatch, error):
    root, made = project

    def interrupted(*_):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(environment, "_install", interrupted)
        with pytest.raises((KeyboardInterrupt, ToolError)):
            environment.ensure_venv(root)
    assert environment.venv_python(root / ".venv").exists()
    environment.ensure_venv(root)
    assert len(made) == 2


def test_a_moved_project_makes_it_anew(project):
    root, made = project
    environment.ensure_venv(root)
    moved = root.with_name(root.name + "-moved")
    root.rename(moved)
    environment.ensure_venv(moved)
    assert len(made) == 2


def test_the_users_own_settings_stay_outside(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("PIP_USER", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    environ = environment.clean_environ(tmp_path)
    unwanted = {"PYTHONPATH", "PIP_USER", "PYTEST_ADDOPTS", "PYTHONDONTWRITEBYTECODE"}
    assert not unwanted & set(environ)
    assert environ["PATH"].startswith(str(environment.venv_python(tmp_path).parent))
    assert environ["IPYTHONDIR"].startswith(str(tmp_path))


def test_digest_sees_contents_names_and_absence(tmp_path):
    one = tmp_path / "one"
    seen = {digest([one])}
    for content in (b"", b"a", b"ab"):
        one.write_bytes(content)
        seen.add(digest([one]))
        seen.add(digest([one], "note"))
    assert len(seen) == 7


# ---- the build --------------------------------------------------------------


@pytest.fixture
def book(tmp_path):
    """The smallest book, outside the project."""
    (tmp_path / "_config.yml").write_text(
        "title: T\nonly_build_toc_files: true\nexecute:\n  execute_notebooks: 'off'\n"
    )
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/index\n")
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "index.md").write_text("# Title\n\ntext\n")
    # The stand-in environment is the one that runs this test.
    python = environment.venv_python(tmp_path / "venv")
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (tmp_path / "venv" / "pyvenv.cfg").symlink_to(f"{sys.prefix}/pyvenv.cfg")
    (tmp_path / "venv" / "lib").symlink_to(f"{sys.prefix}/lib")
    return tmp_path


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="makes links")
def test_only_changed_pages_are_read_and_no_warning_is_lost(book, capsys):
    html, log = book / "_build" / "html", book / "_build" / "build.log"

    def built():
        site.build(book / "venv", book)
        pages = {path.name: path.read_text() for path in html.rglob("book/*.html")}
        return pages, re.search(r"\d added, \d changed", log.read_text())[0]

    (book / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nchapters:\n- file: book/other\n"
    )
    (book / "book" / "index.md").write_text("# Title\n\n[](there)\n")
    other = book / "book" / "other.md"
    other.write_text("# Other\n\n(there)=\n## There\n")
    assert built()[1] == "2 added, 0 changed"
    built()
    assert capsys.readouterr().out.count("Building") == 1

    html.joinpath("left_over.html").write_text("x")
    other.write_text("# Other\n\n(there)=\n## Over there\n")
    pages, read = built()
    assert read == "0 added, 1 changed"
    assert "Over there" in pages["index.html"], "the other page was not written"
    assert not html.joinpath("left_over.html").exists()
    (book / "_build" / "on-time.stamp").unlink()
    assert built() == (pages, "2 added, 0 changed"), "a whole build says something else"

    other.write_text("# Other\n")
    for read in ("0 added, 1 changed", "2 added, 0 changed"):
        with pytest.raises(ToolError, match="the site was not built"):
            built()
        assert "index.md:3" in capsys.readouterr().out, "a warning was lost"
        assert read in log.read_text(), "after a failure all pages are read"
    other.write_text("# Other\n\n(there)=\n## Over there\n")
    assert built()[0] == pages


def test_what_sphinx_might_not_see_is_a_whole_build(tmp_path):
    names = (
        "book/a.md",
        "book/b/c.md",
        "notebooks/a.ipynb",
        "src/a.py",
        "_build/stamp",
    )
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("old")
    page, stamp = tmp_path / "book" / "a.md", tmp_path / "_build" / "stamp"
    os.utime(stamp, (1e9, 1e9))

    def less():
        return site.may_read_less(kept, site.state(tmp_path, True), stamp)

    kept = site.state(tmp_path, True)
    assert less()
    page.write_text("new")
    (tmp_path / "book" / "b" / "c.md").write_text("new")
    assert less()
    os.utime(page, (9e8, 9e8))
    assert not less(), "put back with an old time"
    page.unlink()
    assert not less(), "a page is gone"
    page.write_text("new")
    (tmp_path / "src" / "a.py").write_text("new")
    assert not less(), "an extension may have changed"
    assert not site.may_read_less({}, site.state(tmp_path, True), stamp)
    kept = site.state(tmp_path, True)
    assert not site.may_read_less(kept, site.state(tmp_path, False), stamp)


@pytest.mark.parametrize("text", ["", "0f3a", "[]", "null"])
def test_a_stamp_that_cannot_be_read_is_none(tmp_path, text):
    stamp = tmp_path / "stamp"
    assert site.read_stamp(stamp) == {}
    stamp.write_text(text)
    assert site.read_stamp(stamp) == {}


# ---- the files --------------------------------------------------------------


def test_the_groups_the_extras_and_the_pins_name_the_same_packages():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    wanted = requirement_names("\n".join(line for g in groups.values() for line in g))
    course = tomllib.loads((ROOT / "src/ontime/pyproject.toml").read_text())["project"]
    extras = course["optional-dependencies"]
    parts = ["\n".join(extras[name]) for name in extras if name != "all"]
    wanted |= requirement_names("\n".join(parts))
    wanted |= requirement_names("\n".join(course["dependencies"])) - {"looplab"}
    pinned = requirement_names((ROOT / "requirements.in").read_text())
    assert wanted == pinned
    named = set(re.findall(r"\w+", extras["all"][0])) - {"ontime"}
    assert named == set(extras) - {"all"}


def test_the_lock_holds_every_pin_and_no_address():
    lock = (ROOT / "requirements.txt").read_text()
    locked = {line.split(" ;")[0] for line in lock.splitlines()}
    direct = (ROOT / "requirements.in").read_text().splitlines()
    pins = {line.split(" ;")[0] for line in direct if line and line[0] != "#"}
    assert pins <= locked
    code = [line for line in lock.splitlines() if not line.startswith("#")]
    for line in code:
        assert re.fullmatch(r"[a-z0-9._-]+==[\w.]+( ; .+)?", line), line
        assert "/" not in line  # an address or a path


def test_the_node_lock_names_no_unusual_host():
    lock = json.loads((ROOT / "package-lock.json").read_text())
    for package in lock["packages"].values():
        host = package.get("resolved", "https://registry.npmjs.org/")
        assert host.startswith("https://registry.npmjs.org/")
