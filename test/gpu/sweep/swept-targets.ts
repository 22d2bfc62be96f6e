// Targets whose schedules are swept: those that users name, and what the adapters of the tests have beside the limits of all.

import { type AcceleratorTarget, cudaSm80, cudaSm90, webgpu, withShuffles } from "../../../src/compiler/index.ts";
import { lavapipeTarget } from "../lavapipe/lavapipe.ts";

/** SwiftShader has subgroups of four. */
const swiftShaderTarget = withShuffles(webgpu, 4);

export const sweptTargets: readonly AcceleratorTarget[] = [
  webgpu,
  swiftShaderTarget,
  lavapipeTarget,
  cudaSm80,
  cudaSm90,
];

export function sweptTarget(name: string): AcceleratorTarget {
  const found = sweptTargets.find((target) => target.name === name);
  if (!found) throw new Error(`--target is one of ${sweptTargets.map((target) => target.name).join(", ")}`);
  return found;
}
