// The page of the bench: it takes a work from the command, has our kernel and onnxruntime-web compute it on one device, and measures both in turns.

import { adapterName, isSoftware } from "../../../../src/native/webgpu/adapter-name.ts";
import type { Dawn } from "../../../../src/native/webgpu/dawn.ts";
import { contest, type Placed } from "../contest.ts";
import { countDispatches, type Passes } from "../count-dispatches.ts";
import { openOurs } from "../open-ours.ts";
import type { SharedDevice } from "../shared-device.ts";
import { sessionOf } from "./onnxruntime.ts";
import { decodeWork } from "./work-file.ts";

/** What the comparison of outputs asks of Node. */
const compare = (a: Uint8Array, b: Uint8Array): number => (a.every((byte, at) => byte === b[at]) ? 0 : 1);
Object.assign(globalThis, { Buffer: { compare } });

const takeDispatches = countDispatches(globalThis as unknown as Passes);

export interface PageResult {
  readonly adapter: string;
  readonly driver: string;
  readonly version: string;
  readonly placed: readonly Placed[];
}

/** Fetches a work and measures it; called by the command. */
async function measure(path: string, rounds: number): Promise<Omit<PageResult, "version">> {
  const { call, task, sources } = decodeWork(await (await fetch(path)).text());
  const session = await sessionOf(call, task.inputs);
  if (!session) throw new Error(`onnxruntime-web has no call for ${call.name}`);
  const gpu = sharedBy(session.device);
  const entrants = [
    ...sources.map(({ name, source }) => ({ name, open: () => openOurs(gpu, source, task) })),
    { name: "onnxruntime-web", open: async () => session.open(session.device) },
  ];
  const placed = await contest(gpu, task, entrants, rounds);
  return { adapter: gpu.name, driver: gpu.driver, placed };
}

const sharedBy = (device: GPUDevice): SharedDevice => ({
  device,
  name: adapterName(device.adapterInfo),
  driver: device.adapterInfo.description,
  isSoftware: isSoftware(device.adapterInfo),
  // Batches are timed by the clock, for both.
  hasTimestamps: false,
  dawn: { globals: globalThis } as unknown as Dawn,
  held: [],
  lost: device.lost.then(({ message }) => message),
  takeDispatches,
});

Object.assign(globalThis, { measure });
