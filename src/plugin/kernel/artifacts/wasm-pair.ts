// A schedule for WASM → its module and, where sums and products may be fused, the twin for engines with relaxed SIMD.

import {
  codegenVersion,
  isRelaxed,
  isWasmSource,
  kernelName,
  kernelParameters,
  sha256,
  splitParameters,
  wasmSource,
} from "../../../compiler/index.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import { artifactKey, scheduleKey } from "../../../tuner/data/key.ts";
import type { Blobs } from "../../../tuner/store/blobs.ts";
import type { BuiltBlobs, WasmPair } from "../built-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { keyFields } from "../schedule.ts";
import { keepBlobs, storedBlobs } from "../stored/artifact-store.ts";

const encoder = { name: "wasm", version: codegenVersion, triple: null, options: [] };

/**
 * Null: the schedule does not lead to its source.
 *
 * @param isInterim it will soon be replaced: the twin for relaxed SIMD would take as long as the module
 */
export async function wasmPair(
  context: KernelContext,
  schedule: Decision,
  isInterim = false,
): Promise<WasmPair | null> {
  const { task, candidate, source } = schedule;
  const key = artifactKey({ schedule: scheduleKey(keyFields(task)), candidate, source, toolchain: encoder });
  const stored = await storedBlobs(context, key);
  if (stored?.blobs.wasm) return pairOf(schedule, stored, stored.blobs.wasm);
  const made = await generate(schedule, isInterim);
  if (!made) return null;
  const pair = pairOf(schedule, made, made.wasm);
  if (context.request.mode === "frozen" && context.runsFresh) {
    const { checkModules } = await import("../check/check-built.ts");
    await checkModules(context, pair);
  }
  await keepBlobs(context, key, made);
  return pair;
}

function pairOf(schedule: Decision, { facts, blobs }: BuiltBlobs, wasm: Blobs[string]): WasmPair {
  const { task } = schedule;
  const name = kernelName(task.op, task.target);
  const { relaxed, prepare } = blobs;
  const { threads, target, numerics } = task;
  const isFused = isRelaxed(target, numerics);
  const split = facts.preparation && splitParameters(task.op, facts.preparation);
  const parameters = split?.run ?? kernelParameters(task.op);
  return {
    wasm: wasmSource(parameters, name, wasm, { relaxed: isFused, threads }),
    relaxed: relaxed ? wasmSource(parameters, name, relaxed, { relaxed: true, threads }) : null,
    prepare:
      prepare && split ? wasmSource(split.prepare, `${name}_prepare`, prepare, { relaxed: isFused, threads }) : null,
    facts,
    schedule,
  };
}

async function generate(
  schedule: Decision,
  isInterim: boolean,
): Promise<(BuiltBlobs & { readonly wasm: Blobs[string] }) | null> {
  const { factsOf, generated } = await import("../source/schedule-source.ts");
  const kernel = generated(schedule);
  if (!kernel || !isWasmSource(kernel.source)) return null;
  const wasm = kernel.source.bytes;
  const fused = schedule.task.numerics === "fast" && !isInterim ? kernel.relaxed() : kernel.source;
  const relaxed = isWasmSource(fused) && sha256(fused.bytes) !== sha256(wasm) ? { relaxed: fused.bytes } : {};
  const blobs: Blobs = {
    wasm,
    ...relaxed,
    ...(kernel.prepare && isWasmSource(kernel.prepare) ? { prepare: kernel.prepare.bytes } : {}),
  };
  return { blobs, wasm, facts: factsOf(schedule, kernel) };
}
