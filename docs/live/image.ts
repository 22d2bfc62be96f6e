// An image filter: five times each pixel, less its four neighbours, on an image of 1280 × 720 pixels as a canvas has it.

import { type Entrant, scheduleOf, type Work, withBytes } from "./bench.ts";

export const [H, W] = [720, 1280];

export interface ImageWork extends Work {
  /** The filter, for a canvas. */
  sharpen(image: ImageData): ImageData;
}

export async function openImage(image: ImageData): Promise<ImageWork> {
  const { value: sharpen, bytes } = await withBytes(async () => (await import("./sharpen-kernel.ts")).default);
  const result = new Uint8Array(H * W * 4);
  const kernel: Entrant = {
    name: "unplugin-kernel",
    bytes,
    run: () => void sharpen(image.data, result),
    output: () => result,
  };
  const plainResult = new Uint8ClampedArray(H * W * 4);
  const plain: Entrant = {
    name: "plain JavaScript",
    bytes: 0,
    run: () => sharpenPlainly(image.data, plainResult),
    output: () => plainResult,
  };
  return {
    what: `${W} × ${H} pixels of RGBA, copied in and out`,
    schedule: scheduleOf(sharpen.info),
    entrants: [kernel, plain],
    library: null,
    sharpen(given) {
      const sharp = new ImageData(W, H);
      sharpen(given.data, result);
      sharp.data.set(result);
      return sharp;
    },
  };
}

/** By offsets, the ends of rows apart, so that the loop over a row has no choices; a clamped array cuts what is too dark or too bright. */
function sharpenPlainly(image: Uint8ClampedArray, result: Uint8ClampedArray): void {
  const row = W * 4;
  const pixel = (at: number, up: number, down: number, left: number, right: number): void => {
    result[at] = 5 * image[at]! - image[at + up]! - image[at + down]! - image[at + left]! - image[at + right]!;
  };
  for (let y = 0; y < H; y += 1) {
    const start = y * row;
    const end = start + row - 4;
    const up = y === 0 ? 0 : -row;
    const down = y === H - 1 ? 0 : row;
    for (let at = start; at < start + 4; at += 1) pixel(at, up, down, 0, 4);
    for (let at = start + 4; at < end; at += 1)
      result[at] = 5 * image[at]! - image[at + up]! - image[at + down]! - image[at - 4]! - image[at + 4]!;
    for (let at = end; at < end + 4; at += 1) pixel(at, up, down, -4, 0);
  }
}
