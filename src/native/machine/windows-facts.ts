// Windows tells some facts of the processor to programs in C alone, by windows-probe.node, which lies beside this file and takes a millisecond: no
// compiler is asked, so `doctor` knows it too where there is none. It is code for x64: on ARM the family of processors is all that is known.

import { constants } from "node:os";
import { packageFile } from "./package-file.ts";

export interface WindowsFacts {
  /** Spelled as compilers do, sorted. */
  readonly features: readonly string[];
  /** Four numbers for each cache of the first processor: level, kind, bytes, processors that share it. */
  readonly caches: readonly number[];
  /** Family, model and stepping, as the first leaf of CPUID has them in eax; 0: not known. */
  readonly signature: number;
}

let known: WindowsFacts | null = null;

/** Asks once a process. Where addons are disabled, or the file cannot be loaded, nothing is known. */
export function windowsFacts(): WindowsFacts {
  known ??= process.arch === "arm64" ? onArm : ask();
  return known;
}

/** All processors that Windows runs on have it. */
const onArm: WindowsFacts = { features: ["neon"], caches: [], signature: 0 };

function ask(): WindowsFacts {
  const probe: { exports: Partial<WindowsFacts> } = { exports: {} };
  try {
    process.dlopen(probe, packageFile("src/native/machine/windows-probe.node"), constants.dlopen?.RTLD_NOW);
  } catch {
    // --no-addons; a rule of the machine against it.
  }
  const { features = [], caches = [], signature = 0 } = probe.exports;
  return { features: [...features].sort(), caches, signature };
}
