// Buffers of a loop function: parameters lie in the caller's memory, all others are the kernel's own.

import type { Buffer, LocalMemory } from "./loop-ir.ts";

type Shaped = Pick<Buffer, "name" | "dtype" | "shape">;

/** Makes a parameter of a buffer, or of what it says of its elements. */
export const parameterBuffer = ({ name, dtype, shape }: Shaped, role: "input" | "output"): Buffer => ({
  name,
  dtype,
  shape,
  role,
  memory: "caller",
});

/** Makes a buffer of the kernel's own. */
export const localBuffer = ({ name, dtype, shape }: Shaped, memory: LocalMemory = "workspace"): Buffer => ({
  name,
  dtype,
  shape,
  role: "local",
  memory,
});

/** Says whether a buffer is the caller's. */
export const isParameter = ({ role }: Pick<Buffer, "role">): boolean => role !== "local";

/** Word by which texts name where a buffer belongs: its role, or the memory of one that has none outside of the kernel. */
export const placeOf = ({ role, memory }: Pick<Buffer, "role" | "memory">): string =>
  role === "local" ? memory : role;
