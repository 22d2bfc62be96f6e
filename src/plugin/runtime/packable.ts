// Additions to a kernel with constant inputs: calls that pack the constants each time, and `pack`, which does it once.

import { arrayFor, createArguments } from "./arguments.ts";
import { type Calls, copyOf, createCalls, takeResults } from "./calls.ts";
import { asGiven } from "./halves.ts";
import type { Arrays, Instance, ModuleContext, RuntimeTensor } from "./implementation.ts";

/** Calls of the kernel itself, with all inputs. */
export function createWholeCalls(
  { facts, tensors, constants, others }: ModuleContext,
  instance: () => Instance,
  ready: () => Promise<void>,
): Calls {
  const args = createArguments(facts.op, tensors);
  const some = (wanted: readonly RuntimeTensor[], arrays: Arrays): Arrays =>
    wanted.map((tensor) => arrays[tensors.indexOf(tensor)]!);
  const inputs = others.filter(({ role }) => role === "input");
  return {
    call(...given) {
      const arrays = args.take(given);
      instance().set(some(constants, arrays), false);
      instance().bind(some(others, arrays))();
      return args.resultOf(given);
    },
    async callAsync(...given) {
      const arrays = args.take(given);
      const [copies, values] = [some(inputs, arrays).map(copyOf), some(constants, arrays).map(copyOf)];
      await ready();
      takeResults(args, arrays, await instance().async(copies, values));
      return args.resultOf(given);
    },
  };
}

/** @throws TypeError, RangeError that name the constant */
function constantsOf(
  { facts, constants }: ModuleContext,
  values: Readonly<Record<string, unknown>> | undefined,
): Arrays {
  const names = constants.map(({ name }) => name);
  const unknown = Object.keys(values ?? {}).find((key) => !names.includes(key));
  if (unknown !== undefined) throw new TypeError(`${facts.op}.pack: ${unknown} is no constant: ${names.join(", ")}`);
  return constants.map((tensor) => arrayFor(values?.[tensor.name], tensor, `${facts.op}.pack: ${tensor.name}`));
}

/** Arrays of an instance by name. @param all what the instance has arrays of */
export function buffersOf(instance: Instance, wanted: readonly RuntimeTensor[], all: readonly RuntimeTensor[]): object {
  const arrays = instance.buffers();
  return Object.fromEntries(wanted.map((tensor) => [tensor.name, asGiven(arrays[all.indexOf(tensor)]!, tensor)]));
}

/** `pack` of a kernel. */
export function createPack(context: ModuleContext, open: () => Instance, ready: () => Promise<void>, info: object) {
  const { facts, tensors, others } = context;
  const args = createArguments(facts.op, others);
  return (values: Readonly<Record<string, unknown>> | undefined): object => {
    const given = constantsOf(context, values);
    const instance = open();
    instance.set(given, true);
    const { call, callAsync } = createCalls(args, () => instance, ready);
    const buffers = (): object => buffersOf(instance, others, tensors);
    return Object.assign(call, { async: callAsync, buffers, info });
  };
}
