// Facts of this machine for a report.

import { codegenVersion } from "../../compiler/index.ts";
import { cpuName } from "../../native/machine/cpu-name.ts";
import { bestTargetName, detectMachine } from "../../native/machine/machine.ts";
import { detectToolchains } from "../../native/toolchain/detect.ts";
import type { MachineReport } from "./report-data.ts";

export async function machineReport(project: string): Promise<MachineReport> {
  const machine = detectMachine();
  const compilers = await detectToolchains({ project });
  return {
    ...machine,
    cpu: cpuName(),
    native: bestTargetName(machine),
    compilers: compilers.map(({ family, version }) => ({ family, version })),
    node: process.versions.node,
    v8: process.versions.v8,
    codegen: codegenVersion,
  };
}
