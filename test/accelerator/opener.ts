// A kernel in the user's program: a listing → a function of arrays, which the simulator runs. The bundler makes this module a part of the
// program, so it imports nothing of the compiler.

import { decodeProgram } from "./isa/decode-program.ts";
import { vta } from "./machine.ts";
import type { Elements } from "./simulator/memory.ts";
import { simulate } from "./simulator/simulate.ts";

export function open(listing: string): (arrays: readonly Elements[]) => void {
  const program = decodeProgram(listing);
  const withRole = (wanted: "input" | "output") => program.buffers.filter(({ role }) => role === wanted);
  const parameters = [...withRole("input"), ...withRole("output")];
  return (arrays) => {
    simulate(program, vta, new Map(parameters.map(({ name }, at) => [name, arrays[at] ?? new Int8Array()])));
  };
}
