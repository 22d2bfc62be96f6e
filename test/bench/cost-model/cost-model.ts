// Cost models against each other, on records of real tunings: how well each orders the candidates of a task that it has
// not seen. Correlations hold on a busy machine; no time is compared here.
//
//     npm run bench:cost-model -- --target wasm --trials 96 --records .unplugin-kernel/cost-model.jsonl --calibration .unplugin-kernel
//
// Makes what the file lacks of records, then prints the tables.

import { parseArgs } from "node:util";
import { calibrate } from "../../../src/api/learning.ts";
import type { TargetName } from "../../../src/compiler/index.ts";
import { nowMs } from "../../../src/native/machine/clock.ts";
import { findXgboost } from "../../../src/native/machine/xgboost-library.ts";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import { boostedTrees } from "../../../src/tuner/cost-model/boosted-trees.ts";
import type { CostModel } from "../../../src/tuner/cost-model/cost-model.ts";
import { featureKindNames, featureKinds } from "../../../src/tuner/cost-model/feature-kinds.ts";
import type { FeatureExtractor } from "../../../src/tuner/cost-model/features.ts";
import { loadXgboost } from "../../../src/tuner/cost-model/xgboost.ts";
import { familyOf } from "../../../src/tuner/data/family.ts";
import { targetClass } from "../../../src/tuner/data/key.ts";
import type { MachineModel } from "../../../src/tuner/prior/machine-model.ts";
import { calibrationFiles } from "../../../src/tuner/record/calibration-file.ts";
import { openDatabase } from "../../../src/tuner/record/database.ts";
import type { GeneratedSpace } from "../../../src/tuner/space/generate.ts";
import {
  calibratedFigures,
  experiencedPrior,
  type Figures,
  learningFigures,
  meanFigures,
  priorFigures,
  transferFigures,
} from "./compare.ts";
import { makeRecords } from "./make-records.ts";
import { modelTasks } from "./model-tasks.ts";
import { type Sample, sampleOf } from "./sample.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", default: "wasm" },
    trials: { type: "string", default: "96" },
    records: { type: "string", default: ".unplugin-kernel/cost-model.jsonl" },
    tasks: { type: "string" },
    // Measures this machine first, and keeps what was found here.
    calibration: { type: "string" },
  },
});

const tasks = modelTasks(values.target as TargetName, values.tasks?.split(","));
const database = openDatabase(values.records);
await makeRecords(tasks, database, Number(values.trials));

const machine = values.calibration === undefined ? undefined : await calibration(values.calibration);

async function calibration(directory: string): Promise<MachineModel | undefined> {
  const target = tasks[0]!.task.target;
  const isNative = target.backend === "c";
  const toolchain = isNative ? ((await detectToolchains())[0]?.identity ?? "none") : "wasm";
  const key = { targetClass: targetClass(target), toolchain };
  if (!calibrationFiles.read(directory, key)) {
    const start = nowMs();
    const measured = await calibrate({ target: values.target as TargetName, directory });
    console.log(`calibrated on ${measured} candidates in ${((nowMs() - start) / 1000).toFixed(1)} s`);
  }
  const stored = calibrationFiles.read(directory, key);
  console.log(JSON.stringify(stored?.machine));
  return stored?.machine;
}

const samples = tasks.map((task) => sampleOf(task, database)).filter(({ points }) => points.length >= 24);
const library = await findXgboost();
const models: readonly CostModel[] = [
  boostedTrees(),
  boostedTrees({ objective: "pairwise-rank" }),
  ...(library ? [await loadXgboost(library), await loadXgboost(library, { objective: "rank:pairwise" })] : []),
];
if (!library) console.log("no XGBoost library was found: its rows are left out");

const kinds = featureKindNames.map((name): readonly [string, (sample: Sample) => FeatureExtractor] => [
  name,
  ({ space, searched, task }) => featureKinds[name](space, task)(searched.templates.map(({ template }) => template)),
]);

const others = (sample: Sample, among: readonly Sample[] = samples): readonly Sample[] =>
  among.filter((it) => it !== sample);
const relatives = (sample: Sample): readonly Sample[] =>
  others(sample).filter((it) => familyOf(it.task) === familyOf(sample.task));

const strangers = (sample: Sample): readonly Sample[] =>
  others(sample).filter((it) => familyOf(it.task) !== familyOf(sample.task));

const priors: readonly (readonly [name: string, priorOf: (sample: Sample) => GeneratedSpace["prior"] | null])[] = [
  ["on the prior", ({ space }) => space.prior],
  ["on the corrected prior", (sample) => experiencedPrior(sample, others(sample))],
  ["alone", () => null],
];

print("nothing learnt", samples, [
  ["prior", (sample) => priorFigures(sample)],
  ...(machine
    ? [["prior calibrated on this machine", (sample): Figures => priorFigures(sample, machine)] satisfies Row]
    : []),
  ["prior calibrated on other families", (sample) => calibratedFigures(sample, strangers(sample))],
  ["prior calibrated on all other tasks", (sample) => calibratedFigures(sample, others(sample))],
  ["prior corrected by other families", (sample) => transferFigures(sample, strangers(sample))],
  ["prior corrected by its family", (sample) => transferFigures(sample, relatives(sample))],
  ["prior corrected by all other tasks", (sample) => transferFigures(sample, others(sample))],
]);
print(
  "half of the rows learnt, the other half ordered",
  samples,
  kinds.flatMap(([name, featuresOf]) =>
    models.flatMap((model) =>
      (model === models[0] ? priors : priors.slice(0, 1)).map(
        ([base, priorOf]): Row => [
          `${name}, ${model.name} ${base}`,
          (sample) => learningFigures(sample, featuresOf(sample), model, priorOf(sample)),
        ],
      ),
    ),
  ),
);

type Row = readonly [name: string, figuresOf: (sample: Sample) => Figures];

/** Prints the means over the tasks of each row, and ρ task by task. */
function print(title: string, among: readonly Sample[], rows: readonly Row[]): void {
  console.log(`\n| ${title} | ρ | recall | best | ${among.map(({ name }) => name).join(" | ")} |`);
  console.log(`|---|${"---|".repeat(among.length + 3)}`);
  for (const [name, figuresOf] of rows) {
    const each = among.map(figuresOf);
    const { rho, recall, best } = meanFigures(each);
    const cells = [rho, recall, best, ...each.map((it) => it.rho)].map((value) => value.toFixed(2));
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}
