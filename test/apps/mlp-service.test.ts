// The example fixtures/apps/mlp-service, built by esbuild from its lock: asked over HTTP, against plain loops.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { detectMachine, hostTarget, missingFeatures } from "../../src/native/machine/machine.ts";
import { detectToolchains } from "../../src/native/toolchain/detect.ts";
import { buildExample, copyExample, exampleFolder } from "../support/example-app.ts";
import { plainErf } from "../support/library/plain-erf.ts";

const [missing] = missingFeatures(hostTarget("avx512"), detectMachine());
const noNative = missing ? `no ${missing}` : (await detectToolchains()).length === 0 ? "no C compiler" : null;
/** Node 20 has no relaxed SIMD, later versions have. */
const twin = noNative ? /^wasm/ : /^native$/;

interface Layer {
  readonly B: Float32Array;
  readonly bias: Float32Array;
}

interface Weights {
  readonly features: number;
  readonly scores: number;
  readonly hiddenWeights: Layer;
  readonly outputWeights: Layer;
  numbers(length: number, seed: number): Float32Array;
}

const gelu = (x: number): number => x * 0.5 * (1 + plainErf(x * Math.SQRT1_2));
const relu = (x: number): number => Math.max(x, 0);

/** Computes a layer in f64. */
const plainLayer = ({ B, bias }: Layer, input: readonly number[], activation: (x: number) => number): number[] =>
  Array.from(bias, (start, j) =>
    activation(input.reduce((sum, value, k) => sum + value * B[k * bias.length + j]!, start)),
  );

interface Service {
  readonly url: string;
  stop(): void;
}

async function start(root: string, ...flags: readonly string[]): Promise<Service> {
  const service: ChildProcess = spawn(process.execPath, [...flags, join(root, "dist/server.js")], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(service.stdout!.setEncoding("utf8"), "data");
  return { url: line.trim(), stop: () => void service.kill() };
}

const post = ({ url }: Service, body: string): Promise<Response> => fetch(`${url}/predict`, { method: "POST", body });

async function twinsOf({ url }: Service): Promise<readonly string[]> {
  const kernels = (await (await fetch(`${url}/kernels`)).json()) as readonly { readonly twin: string }[];
  return kernels.map(({ twin }) => twin);
}

/** Asks for rows that no other call has, and holds the answers against plain loops. */
async function expectRight(service: Service, count: number): Promise<void> {
  const weights: Weights = await import(join(exampleFolder("mlp-service"), "src/weights.js"));
  const { features, scores, hiddenWeights, outputWeights } = weights;
  const flat = weights.numbers(count * features, 7 + count);
  const rows = Array.from({ length: count }, (_, row) => [...flat.subarray(row * features, (row + 1) * features)]);
  const answered = (await (await post(service, JSON.stringify(rows))).json()) as number[][];
  expect(answered).toHaveLength(count);
  for (const [at, row] of rows.entries()) {
    const wanted = plainLayer(outputWeights, plainLayer(hiddenWeights, row, gelu), relu);
    expect(answered[at]).toHaveLength(scores);
    // Sums of 256 and 1024 products below 1: an error of f32 grows with their square root, 1e-5 is ten times as much.
    for (const [place, score] of wanted.entries()) expect(Math.abs(answered[at]![place]! - score)).toBeLessThan(1e-5);
  }
}

describe(`mlp-service, as ${noNative ? `WASM (${noNative})` : "native kernels"}`, () => {
  let root: string;
  let built: string;
  let service: Service;
  beforeAll(async () => {
    root = copyExample("mlp-service");
    built = buildExample(root);
    service = await start(root);
  });
  afterAll(() => service?.stop());

  it("is built without a measurement, and says what computes", async () => {
    expect(built).toMatch(/2 kernels from kernels\.lock\.json, 0 measured/);
    expect(await twinsOf(service)).toEqual([expect.stringMatching(twin), expect.stringMatching(twin)]);
  });

  it.each([1, 32, 45])("answers a batch of %i rows as plain loops do", (count) => expectRight(service, count));

  it("answers as WASM where addons are off", async () => {
    const other = await start(root, "--no-addons");
    expect(await twinsOf(other)).toEqual([expect.stringMatching(/^wasm/), expect.stringMatching(/^wasm/)]);
    await expectRight(other, 5);
    other.stop();
  });

  it.each(["[[1, 2]]", "{}", "["])("refuses %s", async (body) => {
    expect((await post(service, body)).status).toBe(400);
  });
});
