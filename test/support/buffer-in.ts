// A buffer by the word that texts have for its place.

import { localBuffer, parameterBuffer } from "../../src/compiler/ir/buffer.ts";
import type { Buffer } from "../../src/compiler/ir/loop-ir.ts";

export type BufferPlace = "input" | "output" | "workspace" | "register";

export const bufferIn = (place: BufferPlace, elements: Pick<Buffer, "name" | "dtype" | "shape">): Buffer =>
  place === "input" || place === "output" ? parameterBuffer(elements, place) : localBuffer(elements, place);
