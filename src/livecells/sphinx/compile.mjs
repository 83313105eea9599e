// Run by Node while a book is built: compiles what every start of Pyodide imports, with
// Pyodide's own Python, since no other has the same bytecode.
//
// Argument: a JSON object {pyodide, runtime} with two paths.
// Prints one JSON object {library, runtime, modules}: for either archive the path of each
// module in it and its compiled form in base64, and the names of all that can be imported.

import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const COMPILE = `
import base64, importlib.util, json, marshal, sys, zipfile

sys.path.insert(0, place)
import livecells_runtime  # and with it all that it imports

(library,) = (path for path in sys.path if path.endswith(".zip") and path != place)
started = {getattr(module, "__file__", None) for module in sys.modules.values()}
# The flag of a hash that is not checked: Python takes it without looking at a source.
head = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
compiled = {"library": {}, "runtime": {}}
for part, archive in (("library", library), ("runtime", place)):
    with zipfile.ZipFile(archive) as packed:
        for name in sorted(packed.namelist()):
            path = archive + "/" + name
            if path in started:
                code = compile(packed.read(name), path, "exec", dont_inherit=True)
                form = base64.b64encode(head + marshal.dumps(code)).decode()
                compiled[part][name] = form
compiled["modules"] = sorted(
    name for name in sys.stdlib_module_names if importlib.util.find_spec(name)
)
json.dumps(compiled)
`;

const { pyodide, runtime } = JSON.parse(process.argv[2]);
const folder = resolve(pyodide);
const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: folder });
const place = "/lib/livecells/runtime.zip";
python.FS.mkdirTree("/lib/livecells");
python.FS.writeFile(place, await readFile(runtime));
const globals = python.toPy({ place });
process.stdout.write(python.runPython(COMPILE, { globals }));
