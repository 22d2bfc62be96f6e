// A kernel's part of a folder that is carried to another machine: candidates by their decisions, their code as it is compiled here, inputs
// and right answers. Neither the compiler nor the operator is needed there.
//
//   batch.json                 the decisions, as `exportBatch` of the program interface writes them
//   kernel.json                the kernel's name, and its compiler's
//   code.json                  the code of each candidate, as the measuring process takes it
//   input-0.bin, output-0.bin  inputs and right answers: the bytes of their arrays
//   results.json               made there: the outcomes, as `runBatch` of the program interface writes them

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KernelParameter, newArray, type TypedArray } from "../../compiler/index.ts";
import { bytesOf } from "../../native/runner/arena.ts";
import type { OutputBound, Runnable, RunTask } from "../../native/runner/protocol.ts";
import { type Batch, batchText, type Opened, openBatch } from "../remote/batch.ts";
import { type Decode, nullable, object, parseStrict, text } from "../support/strict.ts";

export interface CarriedHeader {
  /** The kernel, as people know it. */
  readonly name: string;
  /** Architecture that the code is for: "sm_90a". */
  readonly architecture: string;
  readonly targetClass: string;
  /** Identity of the compiler: "NVRTC 13.0". */
  readonly compiler: string;
  /** Identity of compiler and machine of the results that came back last; null: none did. */
  readonly measuredBy: string | null;
}

/** Code and arrays that the measuring process takes. */
export interface CarriedCode {
  /** Code of each candidate of the batch. */
  readonly code: readonly Runnable[];
  readonly task: RunTask;
}

export interface CarriedKernel extends CarriedCode {
  readonly header: CarriedHeader;
  readonly batch: Batch;
}

interface CodeFile extends Pick<CarriedCode, "code"> {
  readonly parameters: readonly KernelParameter[];
  readonly bounds: readonly OutputBound[];
}

const line = text(2000, /^[^\0\n]*$/, "a line");

const decodeHeader: Decode<CarriedHeader> = object<CarriedHeader>({
  name: line,
  architecture: text(20, /^sm_\d{2,3}a?$/, "an architecture"),
  targetClass: line,
  compiler: line,
  measuredBy: nullable(line),
});

export const batchFile = (folder: string): string => join(folder, "batch.json");
export const resultsFile = (folder: string): string => join(folder, "results.json");
const headerFile = (folder: string): string => join(folder, "kernel.json");
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
export function writeKernelFolder(folder: string, { header, batch, code, task }: CarriedKernel): void {
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const { parameters, expected } = task;
  const file: CodeFile = { code, parameters, bounds: expected.map(({ bound }) => bound) };
  writeFileSync(batchFile(fresh), batchText(batch));
  writeFileSync(headerFile(fresh), `${JSON.stringify(header, null, 1)}\n`);
  writeFileSync(codeFile(fresh), `${JSON.stringify(file, withBytes)}\n`);
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

/** Reads the text of a header strictly; null: it is none, or damaged. */
export const parseHeader = (content: string): CarriedHeader | null => parseStrict(content, decodeHeader);

/** Says what kernel a folder is of; null: it has no header, or a damaged one. */
export const headerOf = (folder: string): CarriedHeader | null =>
  existsSync(headerFile(folder)) ? parseHeader(readFileSync(headerFile(folder), "utf8")) : null;

/** Removes folders of the same kernel as it was before its operator changed: nobody should measure them. */
export function removeOlder(folders: readonly string[], current: string, name: string): void {
  for (const folder of folders)
    if (folder !== current && headerOf(folder)?.name === name) rmSync(folder, { recursive: true, force: true });
}

/** Reads code and arrays of the candidates. An Error says which file is damaged. */
export function readCode(folder: string): CarriedCode {
  const { code, parameters, bounds } = JSON.parse(readFileSync(codeFile(folder), "utf8"), toBytes) as CodeFile;
  const read =
    (role: "input" | "output") =>
    ({ name, dtype, length }: KernelParameter, at: number): TypedArray => {
      const [array, bytes] = [newArray(dtype, length), readFileSync(arrayFile(folder, role, at))];
      if (bytes.length !== array.byteLength)
        throw new Error(`${name} has ${bytes.length} bytes of ${array.byteLength}`);
      bytesOf(array).set(bytes);
      return array;
    };
  const inputs = parameters.filter(({ role }) => role === "input").map(read("input"));
  const outputs = parameters.filter(({ role }) => role === "output").map(read("output"));
  const expected = outputs.map((values, at) => ({ values, bound: bounds[at]! }));
  return { code, task: { parameters, inputs, expected } };
}
