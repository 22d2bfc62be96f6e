// The machine as a target: its name, its back end, and the numbers that decide which schedules fit it.

import type { AcceleratorTarget } from "../../src/compiler/index.ts";
import { vta } from "./machine.ts";

const { inputs, weights, sums, instructions, loops } = vta;

export const vtaTarget: AcceleratorTarget = {
  kind: "accelerator",
  name: "vta",
  backend: "vta",
  features: ["vta"],
  threads: 1,
  limits: { inputs, weights, sums, instructions, loops },
};
