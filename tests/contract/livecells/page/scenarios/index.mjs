// Every scenario by its name, which is also the name of its test.

import * as cpython from "./cpython.mjs";
import * as editor from "./editor.mjs";
import * as hostile from "./hostile.mjs";
import * as kept from "./kept.mjs";
import * as start from "./start.mjs";

export const scenarios = { ...cpython, ...editor, ...hostile, ...kept, ...start };
