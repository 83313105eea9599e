"""Starts with every Python below ``looplab trace`` and waits for asyncio.

``PYTHONPATH`` leads here.  The program sees none of it: the path is taken off again, a
``sitecustomize`` of the environment runs as ever, and whatever goes wrong is one line.
"""

# mypy: ignore-errors

import os
import sys


def _start():  # no annotations: any Python may read this file
    shim = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != shim]
    _run_the_other_one()
    if "LOOPLAB_TRACE" not in os.environ:
        return
    if sys.version_info < (3, 11):
        sys.stderr.write(
            "looplab: this is Python %d.%d, and 3.11 or newer is needed: it is not "
            "recorded\n" % sys.version_info[:2]
        )
        return
    from importlib.util import module_from_spec, spec_from_file_location

    room = os.path.dirname(shim)
    name = "looplab.diagnose.imports"
    spec = spec_from_file_location(name, os.path.join(room, "imports.py"))
    imports = module_from_spec(spec)
    sys.modules[name] = imports  # looplab itself is imported when asyncio is
    spec.loader.exec_module(imports)
    imports.watch(*imports.WATCHED)

    def hook(asyncio):
        root = os.path.dirname(os.path.dirname(room))
        known = list(sys.path)
        try:
            sys.path.insert(0, root)
            from looplab.diagnose import hook

            hook.install()
        except Exception as exc:
            sys.stderr.write("looplab: cannot record this process: %r\n" % (exc,))
        finally:
            if root not in known and root in sys.path:
                sys.path.remove(root)

    imports.after_import("asyncio", hook)


def _run_the_other_one():
    """Run the sitecustomize that would have run without this one."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_start()
