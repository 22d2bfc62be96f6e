// What a tiled stage may use of the machine: registers for its accumulators, a share of each cache for its blocks.

import { byteSize, type Target } from "../../../compiler/index.ts";
import type { Term } from "../../constraint/constraint.ts";
import { atMost, constrain, type Draft, derived, product } from "../draft.ts";
import { dependsOn, type SchedulableStage } from "../schedulable-stage.ts";
import { blockOf, registerElementsOf, registerOf, type TiledAxis } from "./tiled-axis.ts";

const names = (axes: readonly TiledAxis[]): string => axes.map((it) => it.axis.name).join(" × ");

/**
 * Live at once in the innermost loop: the accumulators, the vectors of one row of the moving operand, one broadcast
 * element, and without a fused multiply-add their product.
 */
export function limitRegisters(
  draft: Draft,
  stage: SchedulableStage,
  axes: readonly TiledAxis[],
  { vectorRegisters, hasFma }: Target,
): Draft {
  const spatial = axes.filter((it) => it.role === "spatial" || it.role === "vector");
  const vector = axes.find((it) => it.role === "vector")!;
  const [accumulators, live] = [`${stage.name}.accumulators`, `${stage.name}.live-registers`];
  const counted = product(draft, accumulators, spatial.map(registerOf), `accumulators ${names(spatial)}`);
  const summed = constrain(derived(counted, live, { from: 1, to: 2 ** 16 }), {
    kind: "sum",
    result: live,
    terms: [accumulators, registerOf(vector)].map((term) => ({ coefficient: 1, term })),
    offset: hasFma ? 1 : 2,
    why: `registers live in the innermost loop of ${stage.name}`,
    role: "definition",
  });
  const why = `the accumulators ${names(spatial)} and their operands fit ${vectorRegisters} vector registers`;
  return atMost(summed, live, vectorRegisters, why);
}

/**
 * The panel of each operand that the register tile reads fits L2, where it may stream from; that it fits L1 is often better,
 * which is for the estimate to say. The operand's block fits L2 too, that of the vector operand L3.
 */
export function limitCaches(draft: Draft, stage: SchedulableStage, axes: readonly TiledAxis[], target: Target): Draft {
  return stage.reads.reduce((limited, read) => {
    const used = axes.filter((it) => it.role !== "outer" && dependsOn(read, it.axis.name));
    const bytes = byteSize[read.dtype];
    const whole = used.filter((it) => it.role === "whole").map((it) => it.axis.extent);
    const vector = used.some((it) => it.role === "vector");
    const panel = [...used.flatMap((it) => panelTerm(it)), ...whole, bytes];
    const block = [...used.filter((it) => it.role !== "whole").map(blockOf), ...whole, bytes];
    const level = vector ? { name: "L3", bytes: target.l3Bytes } : { name: "L2", bytes: target.l2Bytes };
    const withPanel = product(
      limited,
      `${stage.name}.${read.buffer}.panel-bytes`,
      panel,
      `bytes of a panel of ${read.buffer}`,
    );
    const withPanels = atMost(
      withPanel,
      `${stage.name}.${read.buffer}.panel-bytes`,
      target.l2Bytes,
      `a panel of ${read.buffer} (${names(used)}) fits L2, ${target.l2Bytes} bytes`,
    );
    const withBlock = product(
      withPanels,
      `${stage.name}.${read.buffer}.block-bytes`,
      block,
      `bytes of a block of ${read.buffer}`,
    );
    return atMost(
      withBlock,
      `${stage.name}.${read.buffer}.block-bytes`,
      level.bytes,
      `a block of ${read.buffer} (${names(used)}) fits ${level.name}, ${level.bytes} bytes`,
    );
  }, draft);
}

function panelTerm(it: TiledAxis): Term[] {
  if (it.role === "whole" || it.role === "outer") return [];
  return [it.role === "reduce" ? blockOf(it) : registerElementsOf(it)];
}
