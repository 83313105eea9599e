// Every scenario by its name, which is also the name of its test.

import * as equal from "./equal.mjs";
import * as faults from "./faults.mjs";
import * as instrument from "./instrument.mjs";
import * as links from "./links.mjs";
import * as programs from "./programs.mjs";
import * as reader from "./reader.mjs";
import * as places from "./places.mjs";

export const scenarios = {
  ...equal,
  ...programs,
  ...places,
  ...faults,
  ...instrument,
  ...links,
  ...reader,
};
