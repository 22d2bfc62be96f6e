// A kernel's part of a folder that is carried to another machine: candidates by their decisions, their code as it is compiled here, inputs
// and right answers. Neither the compiler nor the operator is needed there.
//
//   batch.json                 the decisions, as `exportBatch` of the program interface writes them
//   code.json                  what the measuring process takes of each candidate
//   input-0.bin, output-0.bin  inputs and right answers: the bytes of their arrays
//   results.json               made there: the outcomes, as `runBatch` of the program interface writes them

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KernelParameter, newArray, type TypedArray } from "../../compiler/index.ts";
import { bytesOf } from "../../native/runner/arena.ts";
import type { OutputBound, Runnable, RunTask } from "../../native/runner/protocol.ts";
import { type Batch, batchText, type Opened, openBatch } from "../remote/batch.ts";

export interface CarriedKernel {
  /** The kernel, as people know it. */
  readonly name: string;
  readonly batch: Batch;
  /** Code of each candidate of the batch. */
  readonly code: readonly Runnable[];
  readonly task: RunTask;
  /** Architecture that the code is for: "sm_90a". */
  readonly architecture: string;
  readonly targetClass: string;
  /** Identity of the compiler: "NVRTC 13.0". */
  readonly compiler: string;
  /** Identity of compiler and machine of the results that came back last; null: none did. */
  readonly measuredBy: string | null;
}

interface CodeFile extends Omit<CarriedKernel, "batch" | "task"> {
  readonly parameters: readonly KernelParameter[];
  readonly bounds: readonly OutputBound[];
}

export const batchFile = (folder: string): string => join(folder, "batch.json");
export const resultsFile = (folder: string): string => join(folder, "results.json");
const codeFile = (folder: string): string => join(folder, "code.json");
const arrayFile = (folder: string, role: "input" | "output", at: number): string => join(folder, `${role}-${at}.bin`);

/** JSON with bytes as base64. */
const withBytes = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value;

function toBytes(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("base64" in value)) return value;
  return new Uint8Array(Buffer.from(String(value.base64), "base64"));
}

/** Writes the folder in place of the one that is there. */
export function writeKernelFolder(folder: string, { batch, task, ...kernel }: CarriedKernel): void {
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const bounds = task.expected.map(({ bound }) => bound);
  const code: CodeFile = { ...kernel, parameters: task.parameters, bounds };
  writeFileSync(batchFile(fresh), batchText(batch));
  writeFileSync(codeFile(fresh), `${JSON.stringify(code, withBytes)}\n`);
  const put = (role: "input" | "output") => (array: TypedArray, at: number) =>
    writeFileSync(arrayFile(fresh, role, at), bytesOf(array));
  task.inputs.forEach(put("input"));
  task.expected.map(({ values }) => values).forEach(put("output"));
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}

/** Opens the decisions of a folder; null: there is no batch in it. */
export const openBatchOf = (folder: string): Opened<Batch> | null =>
  existsSync(batchFile(folder)) ? openBatch(readFileSync(batchFile(folder), "utf8")) : null;

/** Removes folders of the same kernel as it was before its operator changed: nobody should measure them. */
export function removeOlder(folders: readonly string[], current: string, name: string): void {
  for (const folder of folders)
    if (folder !== current && existsSync(codeFile(folder)) && codeIn(folder).name === name)
      rmSync(folder, { recursive: true, force: true });
}

/** Identity of what measured last, as far as the folder knows. */
export const measuredByOf = (folder: string): string | null =>
  existsSync(codeFile(folder)) ? codeIn(folder).measuredBy : null;

const codeIn = (folder: string): CodeFile => JSON.parse(readFileSync(codeFile(folder), "utf8"), toBytes) as CodeFile;

/** Reads all of a folder that `writeKernelFolder` has written, but for its batch. */
export function readKernelFolder(folder: string): Omit<CarriedKernel, "batch"> {
  const { parameters, bounds, ...kernel } = codeIn(folder);
  const read =
    (role: "input" | "output") =>
    ({ dtype, length }: KernelParameter, at: number): TypedArray => {
      const array = newArray(dtype, length);
      bytesOf(array).set(readFileSync(arrayFile(folder, role, at)));
      return array;
    };
  const inputs = parameters.filter(({ role }) => role !== "output").map(read("input"));
  const outputs = parameters.filter(({ role }) => role === "output").map(read("output"));
  const expected = outputs.map((values, at) => ({ values, bound: bounds[at]! }));
  return { ...kernel, task: { parameters, inputs, expected } };
}
