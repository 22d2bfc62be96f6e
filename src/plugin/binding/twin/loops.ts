// The plain loops in a module: a function of all tensors, in the order of the operator.

import type { LoopsTwin } from "../../kernel/twin.ts";
import { Expression } from "../literal.ts";
import type { TwinBinding } from "./twin-binding.ts";

export const loopsBinding: TwinBinding<LoopsTwin> = {
  runsInBrowsers: true,
  assets: () => [],
  write({ source }, { signature: { tensors } }) {
    const names = tensors.map((_, at) => `arg${at}`).join(", ");
    const loops = new Expression(`(${names}) => {\n${source.text}\n}`);
    return { kind: "written", implementation: "loops", facts: { loops } };
  },
};
