// Loops over the threads of a launch, by their marks.

import type { For } from "./loop-ir.ts";

/** A loop over groups of threads. It stays a loop where there is a single group: what is inside is the launch. */
export const isGridLoop = ({ mark }: For): boolean => mark.startsWith("blockIdx.");

/** A loop over groups of threads, or over the threads of a group. */
export const isThreadLoop = (loop: For): boolean => isGridLoop(loop) || loop.mark.startsWith("threadIdx.");
