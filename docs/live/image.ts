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

/** Rows by offsets, and a clamped array that cuts what is below 0 and beyond 255. */
function sharpenPlainly(image: Uint8ClampedArray, result: Uint8ClampedArray): void {
  const row = W * 4;
  for (let y = 0; y < H; y += 1) {
    const at = y * row;
    const above = y === 0 ? at : at - row;
    const below = y === H - 1 ? at : at + row;
    for (let x = 0; x < row; x += 1) {
      const left = x < 4 ? x : x - 4;
      const right = x >= row - 4 ? x : x + 4;
      result[at + x] =
        5 * image[at + x]! - image[above + x]! - image[below + x]! - image[at + left]! - image[at + right]!;
    }
  }
}
