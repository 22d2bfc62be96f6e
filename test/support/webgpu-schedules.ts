// Schedules drawn from an operator's space for `webgpu`, each run on SwiftShader and held against the reference, or refused for a reason.

import {
  type ComputeDef,
  generateKernel,
  instantiateTemplate,
  printDiagnostic,
  printTrace,
  type WgslSource,
  webgpu,
} from "../../src/compiler/index.ts";
import type { GpuDevice } from "../../src/native/webgpu/device.ts";
import type { WgslValidator } from "../../src/native/webgpu/validate.ts";
import { conditionedTask } from "../../src/tuner/check/conditioning.ts";
import { compileModel } from "../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../src/tuner/constraint/solver/sample.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { type Reference, referenceOf } from "./reference.ts";
import { wrongOnGpu } from "./webgpu.ts";

export interface DrawnOnGpu {
  readonly right: number;
  /** Texts of the refusals, each once. */
  readonly refused: readonly string[];
  readonly wrong: readonly string[];
}

export interface DrawOptions {
  readonly seed: number;
  /** Schedules of each template. */
  readonly samples: number;
  /** Templates that are drawn from, from the first on; default: all. */
  readonly templates?: number;
  /** Also validates each text; null: what runs is valid anyway. */
  readonly validate?: WgslValidator | null;
  /** Form of the texts; default: as they are generated. */
  readonly form?: (source: WgslSource) => WgslSource;
}

/** Adds the answers in f64, as a tuning does, because operators may cancel. */
export function conditioned(reference: Reference): Reference {
  const { op, inputs, expected } = reference;
  const parameters = expected.map(({ parameter }) => parameter);
  const task = conditionedTask({ op, target: webgpu, numerics: "fast", threads: 1 }, { parameters, inputs, expected });
  if (!task) return reference;
  return { ...reference, expected: expected.map((it, at) => ({ ...it, exact: task.expected[at]!.exact ?? null })) };
}

export async function drawnOnGpu(gpu: GpuDevice, op: ComputeDef, options: DrawOptions): Promise<DrawnOnGpu> {
  const { seed, samples, validate = null, form = (source) => source } = options;
  const reference = conditioned(referenceOf(op, createRng(seed)));
  const refused = new Set<string>();
  const wrong: string[] = [];
  let right = 0;
  const { templates } = generateSpace({ op, target: webgpu, numerics: "fast", threads: 1 });
  for (const { name, model, instructions } of templates.slice(0, options.templates)) {
    const [compiled, rng] = [compileModel(model), createRng(seed)];
    const seen = new Set<string>();
    for (let at = 0; at < samples; at++) {
      const point = sample(compiled, rng);
      if (point.kind !== "found") throw new Error(`${name}: no point, ${point.kind}`);
      const trace = instantiateTemplate(instructions, point.assignment);
      const text = printTrace(trace);
      if (seen.has(text)) continue;
      seen.add(text);
      const kernel = generateKernel(op, trace, webgpu, { numerics: "fast", verify: true });
      if (kernel.kind !== "ok") {
        refused.add(printDiagnostic(kernel.diagnostic));
        continue;
      }
      const source = form(kernel.source as WgslSource);
      const mistake = (await validate?.(source)) ?? (await wrongOnGpu(gpu, reference, source).catch(textOf));
      if (mistake === null) right += 1;
      else wrong.push(`${name}: ${mistake}\n${text}\n${source.text}`);
    }
  }
  return { right, refused: [...refused], wrong };
}

const textOf = (error: Error): string => error.message;
