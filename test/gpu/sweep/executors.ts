// Executors of the sweep: what runs or validates the schedules of a round, and says of each what is wrong with it.

import type { AcceleratorTarget, CudaSource, WgslSource } from "../../../src/compiler/index.ts";
import { gpuArchitecture } from "../../../src/native/cuda/ptx.ts";
import { findDawn, loadDawn } from "../../../src/native/webgpu/dawn.ts";
import { type GpuDevice, openGpu } from "../../../src/native/webgpu/device.ts";
import { assemblePtx } from "../../compiler/cuda/assemble-ptx.ts";
import { openNvrtc } from "../../compiler/cuda/tools.ts";
import { naga } from "../../support/naga.ts";
import type { Reference } from "../../support/reference.ts";
import { noDawn, noSoftwareGpu, openSoftwareGpu, wrongOnGpu } from "../../support/webgpu.ts";
import { lavapipeFeatures, noLavapipe } from "../lavapipe/lavapipe.ts";
import { wrongOnCpu } from "./cuda-on-cpu.ts";
import type { Round, SweptSchedule } from "./draw-round.ts";
import { wrongInterpreted } from "./interpreted.ts";
import { type CountedRegisters, codeReader } from "./machine-code.ts";
import { wrongPtxOnCpu } from "./ptx-on-cpu.ts";
import type { ExecutorName } from "./records.ts";

export interface Executor {
  readonly device: string;
  /** Says whether it computes: it wants right answers, and operators that are small enough. */
  readonly runs: boolean;
  /** Resolves to what is wrong with each schedule; null: nothing. */
  run(round: Round): Promise<readonly (string | null)[]>;
  /** Registers of the schedules since the last call, where machine code is read. */
  counted?(): CountedRegisters;
  /** Frees what rounds have left behind. */
  rest(): Promise<void>;
}

/** Long texts take SwiftShader minutes. */
const mostMs = 240_000;

const interpreter: Executor = {
  device: `node ${process.version}`,
  runs: true,
  async run({ reference, schedules }) {
    return schedules.map(({ kernel }) =>
      typeof kernel === "string" ? kernel : wrongInterpreted(reference!, kernel.flat),
    );
  },
  async rest() {},
};

/** Schedules are lowered and printed: there has to be one of each template, and one that the prior has chosen. */
const lowering: Executor = {
  device: `node ${process.version}`,
  runs: false,
  run: async ({ schedules }) => schedules.map(({ kernel }) => (typeof kernel === "string" ? kernel : null)),
  async rest() {},
};

async function dawn(missing = noSoftwareGpu, open = openSoftwareGpu): Promise<Executor> {
  if (missing) throw new Error(`nothing was checked: ${missing}`);
  let gpu: GpuDevice = await open();
  const reopen = async (): Promise<void> => {
    // Pipelines of a device go when it goes.
    gpu.device.destroy();
    gpu = await open();
  };
  const wrong = async ({ reference }: Round, { kernel }: SweptSchedule): Promise<string | null> => {
    if (typeof kernel === "string") return kernel;
    const late = new Promise<string>((resolve) => {
      setTimeout(resolve, mostMs, `it took more than ${mostMs / 1000} s`).unref();
    });
    const lost = gpu.lost.then((reason) => reason);
    const run = wrongOnGpu(gpu, reference!, kernel.source as WgslSource).catch((error: Error) => error.message);
    const found = await Promise.race([run, late, lost]);
    if (found !== null) await reopen();
    return found;
  };
  return {
    device: gpu.name,
    runs: true,
    async run(round) {
      const answers: (string | null)[] = [];
      for (const schedule of round.schedules) answers.push(await wrong(round, schedule));
      return answers;
    },
    rest: reopen,
  };
}

/** Dawn on Mesa's driver for CPUs, which has subgroup matrices. */
const lavapipe = (): Promise<Executor> =>
  dawn(noDawn ?? noLavapipe, async () =>
    openGpu(await loadDawn(findDawn()!), {
      software: true,
      dawnOptions: ["enable-dawn-features=allow_unsafe_apis"],
      features: lavapipeFeatures,
    }),
  );

const validated: Executor = {
  device: "Deno's naga",
  runs: false,
  async run({ schedules }) {
    const sources = schedules.flatMap(({ kernel }) =>
      typeof kernel === "string" ? [] : [kernel.source as WgslSource],
    );
    const answers = naga(sources).values();
    return schedules.map(({ kernel }) => (typeof kernel === "string" ? kernel : answers.next().value!));
  },
  async rest() {},
};

async function compiled(): Promise<Executor> {
  const nvrtc = await openNvrtc();
  const refused = ({ kernel }: SweptSchedule): string | null => {
    if (typeof kernel === "string") return kernel;
    const source = kernel.source as CudaSource;
    try {
      nvrtc.compile(source, source.architecture);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return {
    device: nvrtc.identity,
    runs: false,
    run: async ({ schedules }) => schedules.map(refused),
    async rest() {},
  };
}

/** @param isPrinted whether machine code is of printed PTX, else of CUDA C */
async function machineCode(target: AcceleratorTarget, isPrinted: boolean): Promise<Executor> {
  const nvrtc = await openNvrtc();
  const cubinOf = (source: CudaSource, architecture: string): Uint8Array =>
    isPrinted ? assemblePtx(nvrtc, source.ptx(architecture), architecture) : nvrtc.compile(source, architecture).cubin;
  const reader = codeReader(cubinOf, target);
  return {
    device: nvrtc.identity,
    runs: false,
    run: async ({ schedules }) => schedules.map(reader.wrongOf),
    counted: reader.counted,
    async rest() {},
  };
}

/** @param wrong says what is wrong with kernels */
const cpu = (
  wrong: (reference: Reference, sources: readonly CudaSource[]) => readonly (string | null)[],
): Executor => ({
  device: "g++",
  runs: true,
  async run({ reference, schedules }) {
    const refused = schedules.map(({ kernel }) => (typeof kernel === "string" ? kernel : null));
    const run = schedules.filter((_, at) => refused[at] === null);
    const answers = wrong(
      reference!,
      run.map(({ kernel }) => (kernel as Exclude<typeof kernel, string>).source as CudaSource),
    ).values();
    return refused.map((why) => why ?? answers.next().value!);
  },
  async rest() {},
});

const wrongPrinted = (reference: Reference, sources: readonly CudaSource[]): readonly (string | null)[] =>
  wrongPtxOnCpu(
    reference,
    sources.map((source) => ({ ...source, ptx: source.ptx(gpuArchitecture(source)) })),
  );

export async function executorNamed(name: ExecutorName, target: AcceleratorTarget): Promise<Executor> {
  if (name === "interpreter") return interpreter;
  if (name === "lowering") return lowering;
  if (name === "naga") return validated;
  if (name === "nvrtc") return compiled();
  if (name === "machine-code" || name === "ptx-machine-code") return machineCode(target, name !== "machine-code");
  if (name === "cpu") return cpu(wrongOnCpu);
  if (name === "ptx-cpu") return cpu(wrongPrinted);
  if (name === "lavapipe") return lavapipe();
  return dawn();
}
