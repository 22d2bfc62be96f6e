// Texts validated by Dawn without a GPU: its null back end compiles as all others do, and computes nothing.

import type { WgslSource } from "../../compiler/index.ts";
import { type DawnPlaces, findDawn, loadDawn } from "./dawn.ts";
import { openGpu, pipelinesOf } from "./device.ts";

/** Says what is wrong with a text, with its line and column; null: it is valid. */
export type WgslValidator = (source: Pick<WgslSource, "text" | "launches">) => Promise<string | null>;

/** Makes a validator; null: the package `webgpu` is not installed. */
export async function createValidator(places: DawnPlaces = {}): Promise<WgslValidator | null> {
  const file = findDawn(places);
  if (file === null) return null;
  const gpu = await openGpu(await loadDawn(file), { software: true, dawnOptions: ["backend=null"] });
  return async (source) => {
    try {
      await pipelinesOf(gpu.device, source);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
}
