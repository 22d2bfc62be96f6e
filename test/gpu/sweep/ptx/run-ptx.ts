// A text of PTX with one kernel, run on the CPU on bytes that a test gives.

import type { CudaLaunch } from "../../../../src/compiler/index.ts";
import { compilePtxForCpu } from "../ptx-on-cpu.ts";

/** Runs a group of a kernel. An Error says why a GPU would have refused it. */
export function runPtx(ptx: string, group: CudaLaunch["group"], arrays: readonly Uint8Array[]): void {
  const parameters = arrays.map(
    ({ length }, at) => ({ name: `array${at}`, dtype: "u8", shape: [length], length, role: "output" }) as const,
  );
  const entry = /\.entry\s+(\w+)/.exec(ptx)![1]!;
  const launches = [{ entry, grid: [1, 1, 1], group, groupBytes: 0 }] as const;
  const [run] = compilePtxForCpu([{ parameters, scratch: [], launches, ptx }]);
  const refused = run!(arrays);
  if (refused !== null) throw new Error(refused);
}
