// The features of this CPU, while we build and measure: where the system tells nothing to JavaScript, a program in C asks the CPU. Emitted modules
// have their addons for that (plugin/runtime/cpu.ts).

import { cpuFeatures } from "./cpu-features.ts";
import { windowsFacts } from "./windows-facts.ts";

/** Reads this CPU's features; empty where nothing is known. Never throws. */
export const machineFeatures = (): readonly string[] =>
  process.platform === "win32" ? windowsFacts().features : cpuFeatures();
