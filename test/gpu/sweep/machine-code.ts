// What NVIDIA's compiler makes of a schedule against what its space says of it: registers, memory of the group, and whether a GPU can launch it.

import type { AcceleratorTarget, Assignment, CudaSource } from "../../../src/compiler/index.ts";
import { product } from "../../../src/compiler/support/integer-math.ts";
import { type ResourceUsage, resourceUsages } from "../../compiler/cuda/tools.ts";
import type { SweptSchedule } from "./draw-round.ts";

/** Schedules whose space counts the registers of a thread, and those of them where the compiler's are within 15 % of it. */
export interface CountedRegisters {
  readonly schedules: number;
  readonly near: number;
}

const nearShare = 0.15;
/** Registers are given to warps, in units of 8 a thread: CUDA C++ Programming Guide, technical specifications. */
const registerUnit = 8;
const vectorBytes = 16;

export interface CodeReader {
  /** Says what is wrong with a schedule; null: nothing. */
  wrongOf(schedule: SweptSchedule): string | null;
  /** Registers of the schedules since the last call. */
  counted(): CountedRegisters;
}

/** @param cubinOf makes machine code of a kernel for an architecture */
export function codeReader(
  cubinOf: (source: CudaSource, architecture: string) => Uint8Array,
  { limits }: Pick<AcceleratorTarget, "limits">,
): CodeReader {
  let [schedules, near] = [0, 0];
  return {
    wrongOf({ template, kernel, assignment }) {
      if (typeof kernel === "string") return kernel;
      const source = kernel.source as CudaSource;
      try {
        const usages = resourceUsages(cubinOf(source, source.architecture));
        const predicted = assignment && valueAt(assignment, ".registers");
        if (predicted !== null) {
          // Of several functions that of the sums takes most.
          const registers = Math.max(...[...usages.values()].map((usage) => usage.registers));
          schedules += 1;
          if (Math.abs(predicted - registers) <= nearShare * registers) near += 1;
        }
        for (const { registers, stack, local } of usages.values())
          if (stack + local > 0)
            return `spills: ${stack} bytes of stack, ${local} of local memory, ${registers} registers`;
        return unlike(source, template, assignment) ?? tooLarge(source, usages, limits);
      } catch (error) {
        return (error as Error).message;
      }
    },
    counted() {
      const counted = { schedules, near };
      [schedules, near] = [0, 0];
      return counted;
    },
  };
}

/** Value of the only variable with such an end; null: none has it, or several stages have one each. */
export function valueAt(assignment: Assignment, end: string): number | null {
  const values = Object.entries(assignment).flatMap(([name, value]) => (name.endsWith(end) ? [Number(value)] : []));
  return values.length === 1 ? values[0]! : null;
}

/**
 * Memory of a group is what the space counts: to the byte for products on tensor cores. Tiles of threads have up to four bytes for an element,
 * and copies that begin at whole vectors.
 */
function unlike({ launches }: CudaSource, template: string, assignment: Assignment | null): string | null {
  const predicted = assignment && valueAt(assignment, ".group-bytes");
  if (predicted === null) return null;
  const most = Math.max(...launches.map(({ groupBytes }) => groupBytes));
  const isRight = template.includes("on tensor cores") ? most === predicted : most <= predicted + vectorBytes;
  return isRight ? null : `a group has ${most} bytes, ${predicted} were counted`;
}

function tooLarge(
  { launches }: CudaSource,
  usages: ReadonlyMap<string, ResourceUsage>,
  limits: AcceleratorTarget["limits"],
): string | null {
  for (const { entry, group, groupBytes } of launches) {
    const usage = usages.get(entry);
    if (!usage) return `${entry} is not in the machine code`;
    const each = Math.ceil(usage.registers / registerUnit) * registerUnit;
    if (product(group) > (limits.threadsPerGroup ?? 0)) return `${entry}: ${product(group)} threads of a group`;
    if (groupBytes > (limits.groupBytes ?? 0)) return `${entry}: ${groupBytes} bytes of a group`;
    const all = each * product(group);
    if (all > (limits.registersPerProcessor ?? 0)) return `${entry}: ${all} registers of a group cannot be launched`;
  }
  return null;
}
