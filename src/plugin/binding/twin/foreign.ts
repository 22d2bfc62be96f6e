// Code of a back end that is not ours in a module: its text, and an import of what opens it.

import type { ForeignTwin } from "../../kernel/twin.ts";
import { Expression } from "../literal.ts";
import { resultsOf, sourcesOf, takenBy } from "../parameters.ts";
import type { TwinBinding } from "./twin-binding.ts";

const openName = "openKernel";

export const foreignBinding: TwinBinding<ForeignTwin> = {
  runsInBrowsers: true,
  assets: () => [],
  write({ backend, module, code, prepare, split }, { signature }) {
    return {
      kind: "written",
      implementation: "foreign",
      imports: [{ name: openName, from: module }],
      facts: {
        foreign: {
          backend,
          open: new Expression(openName),
          code: [code, ...(prepare === null ? [] : [prepare])],
          sources: sourcesOf(split?.run ?? signature.tensors, signature),
          prepare: split ? { taken: takenBy(split.prepare, signature), results: resultsOf(split.prepare) } : undefined,
        },
      },
    };
  },
};
