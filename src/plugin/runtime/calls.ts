// Calls on an instance, of the kernel itself or of a packed layer: on the caller's arrays, or off the event loop on copies.

import type { TypedArray } from "../../compiler/index.ts";
import { type Arguments, lengthOf } from "./arguments.ts";
import type { Arrays, Instance } from "./implementation.ts";

/** Both forms of a call. */
export interface Calls {
  call(...given: unknown[]): unknown;
  callAsync(...given: unknown[]): Promise<unknown>;
}

/** A wrapper of an array, such as ImageData, may hold another one in the next call. */
const areArrays = (given: readonly unknown[]): boolean => given.every((value) => ArrayBuffer.isView(value));

export const copyOf = (array: TypedArray): TypedArray => array.slice();

const nothing = (): void => {};

/**
 * Calls on an instance that has its constants, if the kernel takes any.
 *
 * A call on the arrays of the last one skips all checks but that for a detached buffer, and costs some 40 ns. The arrays are remembered
 * to the end of the job alone, so that a kernel keeps no caller's memory alive.
 */
export function createCalls(args: Arguments, instance: () => Instance, ready: () => Promise<void>): Calls {
  let last: readonly unknown[] | null = null;
  let lengths: readonly number[] = [];
  let run = nothing;
  let willForget = false;
  const forget = (): void => {
    last = null;
    run = nothing;
    willForget = false;
  };
  const isSame = (given: readonly unknown[]): boolean => {
    if (last === null || given.length !== last.length) return false;
    for (let at = 0; at < given.length; at++) {
      if (given[at] !== last[at] || lengthOf.call(given[at]) !== lengths[at]) return false;
    }
    return true;
  };
  const bind = (given: unknown[]): void => {
    last = null;
    const arrays = args.take(given);
    run = instance().bind(arrays);
    if (!willForget) queueMicrotask(forget);
    willForget = true;
    if (!areArrays(given)) return;
    lengths = arrays.map(({ length }) => length);
    last = given;
  };
  return {
    call(...given) {
      if (!isSame(given)) bind(given);
      run();
      return args.resultOf(given);
    },
    async callAsync(...given) {
      const arrays = args.take(given);
      const copies = arrays.slice(0, args.inputs).map(copyOf);
      await ready();
      takeResults(args, arrays, await instance().async(copies, null));
      return args.resultOf(given);
    },
  };
}

export function takeResults({ inputs }: Arguments, arrays: Arrays, results: Arrays): void {
  for (const [at, result] of results.entries()) arrays[inputs + at]!.set(result);
}
