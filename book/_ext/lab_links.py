"""Links on the page of a lab: its hand-out, and JupyterLite, Binder.

The hand-outs, labs without solutions, are written into the built site, in ``handout``.

JupyterLite is added to a built site by a command of its own, so a page gets a mark
where the link can stand; ``tools/lite_labs.py`` turns it into one.

``lab_repository`` in ``_config.yml``, such as ``https://github.com/owner/name``, names
the published repository. When it is set, the pages have a link for Binder, which builds
what is in ``.binder/``.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from ours import filled_in
from sphinx.errors import ExtensionError

from ontime.handout import HandoutError, hand_out, labs_of

REPOSITORY = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
HANDOUT = "handout"
SOLVED = '"solution"'  # the tag, in a notebook that has solutions


def named(repository: object) -> str | None:
    """The owner and the name of a repository; None when it is not set.

    Raises:
        ExtensionError: It is no address of a repository.
    """
    if not repository:
        return None
    name = REPOSITORY.fullmatch(repository) if isinstance(repository, str) else None
    if name is None:
        raise ExtensionError(
            f"lab_repository is {repository!r}, which is no address of a repository: "
            "write https://github.com/OWNER/NAME, or '' for none"
        )
    return name[1]


def links(lab: str, repository: object, solved: bool = False) -> str:
    """The HTML for a lab, such as ``04_late_heartbeat.ipynb``.

    Args:
        lab: its name.
        repository: the address of the published repository, or nothing.
        solved: whether it has solutions, so that there is a hand-out without them.
    """
    return filled_in(
        "lab_links.html",
        lab=lab,
        without=without_solutions(lab),
        repository=named(repository),
        solved=solved,
    )


def without_solutions(lab: str) -> str:
    """What JupyterLite calls the hand-out of a lab; its list shows how names begin."""
    return f"{lab[:2]}_class{lab[2:]}"


def insert(app: Any, doctree: nodes.document) -> None:
    """Put the links below the title of a lab."""
    path = PurePosixPath(app.env.doc2path(app.env.docname, base=False))
    if path.parent.name != "notebooks" or path.suffix != ".ipynb":
        return
    title = next(iter(doctree.findall(nodes.title)), None)
    if title is None:
        return
    text = Path(app.env.doc2path(app.env.docname)).read_text("utf-8")
    html = links(path.name, app.config.lab_repository, SOLVED in text)
    place = title.parent.index(title) + 1
    title.parent.insert(place, nodes.raw("", html, format="html"))


def write_handouts(app: Any, failed: Exception | None) -> None:
    """Put the hand-outs of all labs into the site."""
    if failed is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir, HANDOUT)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        labs = labs_of("all", extra=True, folder=Path(app.srcdir, "notebooks"))
        hand_out(labs, folder, site=app.config.html_baseurl)
    except HandoutError as error:
        raise ExtensionError(str(error)) from None


def check(_: Any, config: Any) -> None:
    """Stop at a setting that cannot be meant so."""
    named(config.lab_repository)


def setup(app: Any) -> dict[str, Any]:
    """Register the setting and the handlers."""
    app.add_config_value("lab_repository", "", "env", [str])
    app.connect("config-inited", check)
    app.connect("doctree-read", insert)
    app.connect("build-finished", write_handouts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
