// A back end in eighty lines, for the tests: it unrolls one loop, emits JavaScript, and runs it on a memory and a clock of its own. What a
// real machine needs is in test/accelerator.

import { generateJs } from "../../../src/compiler/codegen/js/generate-js.ts";
import { type AcceleratorTarget, type KernelSource, scalarPasses } from "../../../src/compiler/index.ts";
import { unroll } from "../../../src/compiler/lower/pass/unroll.ts";
import type { Backend } from "../../../src/tuner/backend/backend.ts";
import { machineModels } from "../../../src/tuner/prior/machine-model.ts";
import { direct } from "../../../src/tuner/space/algorithm/direct.ts";
import { atMost, instruct, tunable } from "../../../src/tuner/space/draft/draft.ts";
import { loopOf } from "../../../src/tuner/space/draft/schedulable-stage.ts";
import type { SpaceRule } from "../../../src/tuner/space/draft/space-rule.ts";

export const toyTarget: AcceleratorTarget = {
  kind: "accelerator",
  name: "toy-1",
  backend: "toy",
  features: [],
  threads: 1,
  limits: { copies: 4 },
};

interface ToySource extends KernelSource {
  readonly kind: "toy";
  readonly text: string;
}

/** Unrolls the last loop of a stage, as often as the machine has room for copies. */
const unrollLast: SpaceRule<AcceleratorTarget> = {
  name: "unroll-last",
  applies: ({ spatial }) => spatial.length > 0,
  apply(draft, stage, { task }) {
    const loop = loopOf(stage, stage.spatial.at(-1)!);
    const copies = `${loop}.copies`;
    const { limits } = task.target;
    const limited = atMost(
      tunable(draft, copies, [1, 2, 4, 8]),
      copies,
      limits.copies ?? 1,
      `the copies of ${loop} fit the machine`,
    );
    return [
      instruct(
        limited,
        { kind: "split", loop, factors: [0, { tunable: copies }], tail: "guard" },
        { kind: "unroll", loop: `${loop}.1` },
      ),
    ];
  },
};

/** @param module URL of the loader, as JavaScript */
export const toyBackend = (module: string): Backend<AcceleratorTarget, ToySource> => ({
  name: "toy",
  targets: [toyTarget],
  generator: {
    language: "JavaScript",
    extension: "js",
    needsToolchain: false,
    passes: scalarPasses.flatMap((pass) => (pass.name === "flatten" ? [pass, unroll] : [pass])),
    generate: (flat) => ({ ...generateJs(flat), kind: "toy" }),
    print: (flat) => generateJs(flat).text,
    code: ({ text }) => text,
    sizeOf: ({ text }) => ({ statements: null, bytes: text.length, workspaceBytes: null, characters: 0 }),
  },
  space: { rules: [unrollLast], algorithms: [direct] },
  model: { machineOf: () => machineModels.wasm, registersOf: () => 1, predictNs: ({ flops }) => flops },
  executor: {
    build: (sources) =>
      sources.map(({ text }) => ({ kind: "built", runnable: { kind: "toy", module, text } as const })),
  },
});
