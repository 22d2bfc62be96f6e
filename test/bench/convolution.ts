// The algorithms of a 3×3 convolution against each other: each template family tuned alone with the same budget, then the
// winners timed in turns, A B C A B C …, so that what else the machine does hits all alike. Prints ratios.
//
//     npm run build && npm run bench:convolution -- --target avx2 --shape 56x56x64x64 --seconds 30 --rounds 15
//
// With --constant the same again with a filter that stays the same: what is made of it alone is not timed.

import { parseArgs } from "node:util";
import { digestOf, factsOf, instantiate, opLibrary, type TargetName } from "../../src/compiler/index.ts";
import { withPrivateDirectory } from "../../src/native/file/private-directory.ts";
import { nowMs } from "../../src/native/machine/clock.ts";
import { hostTarget } from "../../src/native/machine/machine.ts";
import { toolchainFor } from "../../src/native/toolchain/detect.ts";
import type { Candidate } from "../../src/tuner/data/space.ts";
import type { TuningTask } from "../../src/tuner/data/task.ts";
import { median } from "../../src/tuner/measure/statistics.ts";
import { openDatabase } from "../../src/tuner/record/database.ts";
import { strategies } from "../../src/tuner/search/strategy/strategies.ts";
import { type GeneratedSpace, generateSpace } from "../../src/tuner/space/generate.ts";
import { tune } from "../../src/tuner/tuning/tune.ts";
import { measurable } from "../../src/tuner/workbench/measurable.ts";
import { referenceTask } from "../../src/tuner/workbench/reference.ts";
import {
  createWorkbench,
  type MeasurableSource,
  type Refusal,
  type Workbench,
} from "../../src/tuner/workbench/workbench.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", default: "avx2" },
    shape: { type: "string", default: "56x56x64x64" },
    seconds: { type: "string", default: "30" },
    rounds: { type: "string", default: "15" },
    constant: { type: "boolean", default: false },
  },
});
const [H = 56, W = 56, C = 64, F = 64] = values.shape.split("x").map(Number);
const def = instantiate(opLibrary.conv2d({ H, W, C, F, padding: 1 }), {}, "bench");
const target = { ...hostTarget(values.target as TargetName), threads: 1 };
const task: TuningTask = { op: def, target, numerics: "fast", threads: 1 };
const withConstant: TuningTask = { ...task, constants: [def.inputs[1]!.name] };

interface Family {
  readonly name: string;
  readonly task: TuningTask;
  readonly space: GeneratedSpace;
}

/** The direct templates together, each of the others alone. */
function familiesOf(task: TuningTask): readonly Family[] {
  const space = generateSpace(task);
  const suffix = task.constants ? ", constant filter" : "";
  const others = space.templates.filter(({ op }) => op !== def);
  return [
    { name: `direct${suffix}`, task, space: { ...space, templates: space.templates.filter(({ op }) => op === def) } },
    ...others.map((it) => ({ name: it.name + suffix, task, space: { ...space, templates: [it] } })),
  ];
}

const families = [task, ...(values.constant ? [withConstant] : [])].flatMap(familiesOf);

async function best({ task, space }: Family, workbench: Workbench, records: string): Promise<Candidate> {
  const { winner } = await tune(task, space, {
    budget: { seconds: Number(values.seconds), trials: 512 },
    strategy: strategies.default,
    seed: 1,
    taskKey: digestOf(def),
    database: openDatabase(records),
    workbench,
    clock: nowMs,
  });
  if (!winner) throw new Error("nothing ran");
  return winner.candidate;
}

await withPrivateDirectory(async (directory) => {
  const toolchain = await toolchainFor(target);
  const workbench = createWorkbench({ task: referenceTask(task), toolchain, directory });
  const times: number[][] = families.map(() => []);
  const sources: (MeasurableSource | Refusal)[] = [];
  for (const [at, family] of families.entries()) {
    const candidate = await best(family, workbench, `${directory}/records-${at}.jsonl`);
    sources.push(measurable(family.task, family.space, candidate));
  }
  for (let round = 0; round < Number(values.rounds); round++) {
    const outcomes = workbench.measure(sources, null);
    for (const own of times) {
      const outcome = (await outcomes.next()).value;
      if (outcome?.kind !== "ok") throw new Error(JSON.stringify(outcome));
      own.push(outcome.timing.medianNs);
    }
  }
  await workbench.close();
  console.log(`conv2d ${values.shape}, ${target.name}; GFLOP/s count the direct algorithm's operations`);
  for (const [at, { name }] of families.entries()) {
    const ratios = times[at]!.map((ns, round) => times[0]![round]! / ns).toSorted((a, b) => a - b);
    const quartiles = [0.25, 0.75].map((share) => ratios[Math.floor(share * ratios.length)]!.toFixed(2)).join(" … ");
    const fastest = Math.min(...times[at]!);
    console.log(
      `  ${name.padEnd(70)} ${(fastest / 1e6).toFixed(2)} ms ${(factsOf(def).flops / fastest).toFixed(0)} GFLOP/s, ` +
        `direct takes ${median(ratios).toFixed(2)} times as long (${quartiles})`,
    );
  }
});
