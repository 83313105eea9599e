// Run by Node while a book is built: compiles what every start of Pyodide imports, with
// Pyodide's own Python, since no other has the same bytecode.
//
// Argument: a JSON object {pyodide, runtime} with two paths.
// Prints one JSON object: the path of each module in the archive of the standard library,
// and its compiled form in base64.

import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const COMPILE = `
import base64, importlib.util, json, marshal, sys, zipfile

sys.path.insert(0, place)
import livecells_runtime  # and with it all that it imports

(archive,) = (path for path in sys.path if path.endswith(".zip"))
started = {getattr(module, "__file__", None) for module in sys.modules.values()}
# The flag of a hash that is not checked: Python takes it without looking at a source.
head = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
compiled = {}
with zipfile.ZipFile(archive) as library:
    for name in sorted(library.namelist()):
        path = archive + "/" + name
        if path in started:
            code = compile(library.read(name), path, "exec", dont_inherit=True)
            compiled[name] = base64.b64encode(head + marshal.dumps(code)).decode()
json.dumps(compiled)
`;

const { pyodide, runtime } = JSON.parse(process.argv[2]);
const folder = resolve(pyodide);
const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: folder });
const place = "/lib/livecells";
python.FS.mkdirTree(place);
python.FS.writeFile(`${place}/livecells_runtime.py`, await readFile(runtime, "utf8"));
const globals = python.toPy({ place });
process.stdout.write(python.runPython(COMPILE, { globals }));
