// Say where an intermediate buffer lives: scratch memory, or registers if all its indices become constants.

import { isParameter, localBuffer, placeOf } from "../../ir/buffer.ts";
import { bufferNamed } from "../nest.ts";
import { bufferField, scopeField } from "./field.ts";
import { illegal } from "./illegal.ts";
import { localMemory } from "./local-memory.ts";
import { definePrimitive } from "./primitive.ts";

export const setScope = definePrimitive({
  kind: "set-scope",
  fields: [bufferField, scopeField],
  role: "step",

  check(nest, { buffer: name, scope }) {
    const buffer = bufferNamed(nest, name);
    if (!buffer) return illegal("set-scope.no-such-buffer", nest, [], `there is no buffer ${name}`);
    if (isParameter(buffer) || scope === "input" || scope === "output") {
      return illegal("set-scope.parameter", nest, [], `${name} cannot move from ${placeOf(buffer)} to ${scope}`);
    }
    return null;
  },

  apply: (nest, { buffer: name, scope }) => ({
    ...nest,
    buffers: nest.buffers.map((buffer) => (buffer.name === name ? localBuffer(buffer, localMemory(scope)) : buffer)),
  }),

  print: ({ buffer, scope }) => `set-scope ${buffer} ${scope}`,
});
