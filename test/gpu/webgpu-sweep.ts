// Schedules drawn from the spaces of the library's operators for `webgpu`, run on SwiftShader and held against the reference, with red
// zones around all arrays: `npm run test:webgpu`. Each operator and type becomes a row of webgpu.jsonl, and a run goes on behind those that
// the same code has.
//
//   node test/run-typescript.js webgpu -- [--only gemm,softmax] [--schedules 60] [--seed 1] [--seconds 600]

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ComputeDef, instantiate } from "../../src/compiler/index.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { library } from "../support/library/library.ts";
import { type LibraryOperator, operandTypes, type TypeName, titleOf } from "../support/library/library-operator.ts";
import { testedCommit } from "../support/record-run.js";
import { noSoftwareGpu, openSoftwareGpu } from "../support/webgpu.ts";
import { drawnOnGpu } from "../support/webgpu-schedules.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    schedules: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "3600" },
  },
});
const [schedules, seed] = [Number(values.schedules), Number(values.seed)];
const until = performance.now() + Number(values.seconds) * 1000;
if (noSoftwareGpu) {
  console.error(`nothing was checked: ${noSoftwareGpu}`);
  process.exit(1);
}

interface Row {
  readonly date: string;
  readonly commit: string;
  readonly device: string;
  readonly operator: string;
  readonly type: TypeName;
  readonly seed: number;
  readonly schedules: number;
  readonly right: number;
  readonly wrong: number;
  /** Reasons of refusals. */
  readonly refused: readonly string[];
}

const record = join(process.cwd(), "test/gpu/webgpu.jsonl");
const lines = existsSync(record) ? readFileSync(record, "utf8").split("\n").filter(Boolean) : [];
const rows = lines.map((line) => JSON.parse(line) as Row);
const commit = testedCommit();
const isDone = (operator: string, type: TypeName): boolean =>
  rows.some(
    (row) =>
      row.operator === operator &&
      row.type === type &&
      row.commit === commit &&
      row.seed === seed &&
      row.schedules >= schedules,
  );

let gpu = await openSoftwareGpu();
const device = gpu.name;

/** Extents are drawn anew for every few schedules. Returns what became of so many of them. */
async function swept(operator: LibraryOperator, type: TypeName): Promise<Pick<Row, "right" | "wrong" | "refused">> {
  let [right, wrong] = [0, 0];
  const refused = new Set<string>();
  for (let round = 0; right + wrong < schedules && round < schedules && refused.size === 0; round++) {
    const rng = createRng(seed * 1_000_003 + round);
    const op: ComputeDef = instantiate(operator.small(rng).op(operandTypes(type)), {}, "op");
    const drawn = await drawnOnGpu(gpu, op, { seed: round, samples: 4 });
    right += drawn.right;
    wrong += drawn.wrong.length;
    for (const text of drawn.refused) refused.add(text.split("\n")[0]!);
    for (const text of drawn.wrong) console.log(`${titleOf(operator)}, ${type}: ${text}`);
  }
  return { right, wrong, refused: [...refused] };
}

const wanted = values.only?.split(",");
const all = { right: 0, wrong: 0 };
for (const operator of library.filter(({ name }) => wanted?.includes(name) ?? true)) {
  for (const type of operator.types) {
    const title = titleOf(operator);
    if (performance.now() > until || isDone(title, type)) continue;
    const found = await swept(operator, type);
    const row: Row = {
      date: new Date().toISOString(),
      commit,
      device,
      operator: title,
      type,
      seed,
      schedules,
      ...found,
    };
    appendFileSync(record, `${JSON.stringify(row)}\n`);
    console.log(
      `${title}, ${type}: ${found.right} right, ${found.wrong} wrong${found.refused.map((it) => `; ${it}`).join("")}`,
    );
    all.right += found.right;
    all.wrong += found.wrong;
    // Pipelines of a device go when it goes.
    gpu.device.destroy();
    gpu = await openSoftwareGpu();
  }
}
gpu.device.destroy();
console.log(`${device}, seed ${seed}: ${all.right} right, ${all.wrong} wrong`);
process.exitCode = all.wrong === 0 ? 0 : 1;
