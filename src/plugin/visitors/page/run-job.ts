// A candidate in the page's worker: inputs are fetched once a task, its code is run once for its outputs, then as often as its samples want.

import type { Job, JobFunction, JobTensor, Ran } from "../messages.ts";
import type { Bytes, OpenFunction } from "./open-function.ts";
import { timeSamples } from "./time-samples.ts";
import { openWasmFunction } from "./wasm-function.ts";
import { openWgsl } from "./wgsl-function.ts";

export interface Done {
  readonly ran: Ran;
  readonly outputs: readonly Bytes[];
}

const open = ({ code, tensors }: JobFunction): Promise<OpenFunction> =>
  code.kind === "wgsl" ? openWgsl(code, tensors) : openWasmFunction(code, tensors);

let known: { readonly task: number; readonly inputs: Map<number, Bytes> } | null = null;

async function inputOf(task: number, at: number): Promise<Bytes> {
  if (known?.task !== task) known = { task, inputs: new Map() };
  const { inputs } = known;
  const found = inputs.get(at) ?? new Uint8Array(await (await fetch(`inputs/${task}/${at}`)).arrayBuffer());
  inputs.set(at, found);
  return found;
}

const isOf = (role: JobTensor["role"]) => (tensor: JobTensor) => tensor.role === role;

/** Inputs of a task by name: those of the preparation and of the kernel come in the order of the operator. */
async function inputsOf({ task, kernel, preparation }: Job): Promise<ReadonlyMap<string, Bytes>> {
  const made = new Set((preparation?.tensors ?? []).filter(isOf("output")).map(({ name }) => name));
  const names = kernel.tensors.filter(isOf("input")).filter(({ name }) => !made.has(name));
  const entries = names.map(async ({ name }, at) => [name, await inputOf(task, at)] as const);
  return new Map(await Promise.all(entries));
}

/** Runs what prepares constants. Its outputs are inputs of the kernel. */
async function prepared(job: Job, inputs: ReadonlyMap<string, Bytes>): Promise<ReadonlyMap<string, Bytes>> {
  if (!job.preparation) return inputs;
  const own = await open(job.preparation);
  try {
    const { tensors } = job.preparation;
    for (const tensor of tensors.filter(isOf("input"))) own.write(tensor, inputs.get(tensor.name)!);
    await own.run(1);
    const results = tensors
      .filter(isOf("output"))
      .map(async (tensor) => [tensor.name, await own.read(tensor)] as const);
    return new Map([...inputs, ...(await Promise.all(results))]);
  } finally {
    own.close();
  }
}

export async function runJob(job: Job): Promise<Done> {
  const inputs = await prepared(job, await inputsOf(job));
  const own = await open(job.kernel);
  try {
    const { tensors } = job.kernel;
    for (const tensor of tensors.filter(isOf("input"))) own.write(tensor, inputs.get(tensor.name)!);
    await own.run(1);
    const outputs: Bytes[] = [];
    for (const tensor of tensors.filter(isOf("output"))) outputs.push(await own.read(tensor));
    return { ran: { ns: await timeSamples(own, job) }, outputs };
  } finally {
    own.close();
  }
}
