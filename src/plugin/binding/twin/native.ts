// An addon in a module: a file of its own, which only Node.js can load.

import type { NativeTwin } from "../../kernel/twin.ts";
import { asset } from "../asset.ts";
import { later } from "../literal.ts";
import { resultsOf, sourcesOf, takenBy } from "../parameters.ts";
import type { TwinBinding } from "./twin-binding.ts";

export const nativeBinding: TwinBinding<NativeTwin> = {
  runsInBrowsers: false,
  assets: ({ bytes, platform, path }, op) => [asset(op, "native", bytes, { platform, path })],
  write({ index, features, platform, split }, { signature, references }) {
    const native = references.native[platform];
    if (native?.kind !== "url") return { kind: "absent", reason: "an addon needs Node.js" };
    return {
      kind: "written",
      implementation: "native",
      facts: {
        native: [
          {
            url: later(native.expression),
            ...{ index, features, platform },
            sources: sourcesOf(split?.run ?? signature.tensors, signature),
            prepare: split
              ? { taken: takenBy(split.prepare, signature), results: resultsOf(split.prepare) }
              : undefined,
          },
        ],
      },
    };
  },
};
