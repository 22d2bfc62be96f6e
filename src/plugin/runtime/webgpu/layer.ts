// A kernel with its constants on one device: what a run takes is found by where each parameter comes from.

import { arrayTypes, type TypedArray } from "../../../compiler/index.ts";
import type { Source } from "../facts.ts";
import type { Arrays, ModuleContext } from "../implementation.ts";
import type { GpuSchedule } from "./gpu-facts.ts";
import { functionOn } from "./kernel-on-device.ts";
import { bufferBytes, createBuffer, submitPass, upload } from "./transfer.ts";

type Buffers = readonly GPUBuffer[];

export interface Layer {
  /** Copies constants to the device, and computes what is prepared of them. */
  setArrays(constants: Arrays): void;
  /** Takes constants that are there already. They are prepared in `pass`. */
  setBuffers(constants: Buffers, pass: GPUComputePassEncoder): void;
  /** Adds a run to a pass. @param others buffers of the tensors that are no constants, in order */
  encode(pass: GPUComputePassEncoder, others: Buffers): void;
  destroy(): void;
}

/** @throws what the device says of the code */
export async function openLayer(
  { tensors, constants }: ModuleContext,
  { code, prepare, sources = tensors.map((_, at): Source => ["other", at]) }: GpuSchedule,
  device: GPUDevice,
): Promise<Layer> {
  const [run, preparation] = await Promise.all(code.map((each) => functionOn(device, each)));
  const made = (prepare?.results ?? []).map(({ dtype, length }, at) =>
    createBuffer(device, bufferBytes({ array: arrayTypes[dtype], length }), `prepared ${at}`),
  );
  let own: Buffers = [];
  let known: Buffers = [];
  const prepareIn = (pass: GPUComputePassEncoder): void => {
    if (prepare) preparation!.encode(pass, [...prepare.taken.map((at) => known[at]!), ...made]);
  };
  return {
    setArrays(values) {
      if (own.length === 0) own = constants.map((tensor) => createBuffer(device, bufferBytes(tensor), tensor.name));
      known = own;
      for (const [at, value] of values.entries()) upload(device, own[at]!, value as TypedArray);
      if (prepare) submitPass(device, prepareIn);
    },
    setBuffers(values, pass) {
      known = values;
      prepareIn(pass);
    },
    encode(pass, others) {
      const from = { other: others, constant: known, result: made };
      run!.encode(
        pass,
        sources.map(([kind, at]) => from[kind][at]!),
      );
    },
    destroy() {
      run!.destroy();
      preparation?.destroy();
      for (const buffer of [...made, ...own]) buffer.destroy();
    },
  };
}
