// Limits of a machine, as WebGPU counts them: what a launch asks beyond them is refused.

import { ceilDiv, product } from "../../support/integer-math.ts";
import type { Target } from "../../target/target.ts";
import { cannotRun } from "../cannot.ts";
import { isBound } from "../launch-arrays.ts";
import type { BufferForm } from "./buffer-form.ts";
import { bytesOfBuffer, wordBytes } from "./elements.ts";

export const limitOf = (target: Target, name: string): number =>
  target.kind === "accelerator" ? (target.limits[name] ?? 0) : 0;

/** Arrays in the memory of a group begin at a multiple of it. */
const groupAlignment = 16;

export const groupBytesOf = (forms: readonly BufferForm[]): number =>
  forms
    .filter(({ buffer }) => buffer.memory === "group")
    .reduce((sum, form) => {
      const bytesOfOne = (form.isPacked ? 1 : form.width) * wordBytes;
      const bytes = ceilDiv(product(form.buffer.shape), form.width) * bytesOfOne;
      return sum + ceilDiv(bytes, groupAlignment) * groupAlignment;
    }, 0);

export function refuseLarge(
  forms: readonly BufferForm[],
  group: readonly [number, number, number],
  target: Target,
): void {
  const limit = (name: string): number => limitOf(target, name);
  const [bytes, threads] = [groupBytesOf(forms), product(group)];
  if (bytes > limit("groupBytes")) {
    const why = `a group wants ${bytes} bytes of memory, ${target.name} has ${limit("groupBytes")}`;
    throw cannotRun("wgsl", why, "smaller blocks, fewer stages");
  }
  if (threads > limit("threadsPerGroup") || group[2] > limit("threadsAlongZ")) {
    const why = `a group has ${group.join("×")} threads`;
    throw cannotRun(
      "wgsl",
      why,
      `${target.name} runs ${limit("threadsPerGroup")} together, ${limit("threadsAlongZ")} of them along z`,
    );
  }
  const bound = forms.filter(({ buffer }) => isBound(buffer));
  if (bound.length > limit("arraysPerLaunch")) {
    const why = `a launch names ${bound.length} arrays, ${target.name} has ${limit("arraysPerLaunch")}`;
    throw cannotRun("wgsl", why, "fewer fused stages");
  }
  const large = bound.find(({ buffer }) => bytesOfBuffer(buffer) > limit("arrayBytes"));
  if (large) {
    const why = `${large.buffer.name} has ${bytesOfBuffer(large.buffer)} bytes, an array of ${target.name} ${limit("arrayBytes")}`;
    throw cannotRun("wgsl", why, "split the operator");
  }
}
