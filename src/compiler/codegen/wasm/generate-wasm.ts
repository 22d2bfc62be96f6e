// LoopFunc in the flat form → a WASM module. Encoded here and not by binaryen: that is 104 MB on disk and a dependency
// at run time, and the engine's optimising tier schedules and allocates registers anyway. Tests check against binaryen.

import type { LoopFunc } from "../../ir/loop-ir.ts";
import { type Program, programOf } from "../../launch/program.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { WasmSource } from "../kernel-source.ts";
import { parametersOf } from "../parameters.ts";
import { ConstantPool, keepConstants } from "./constants.ts";
import { type Context, type LoopScope, slotVariable } from "./context.ts";
import { encodeModule } from "./encode.ts";
import { type Code, call, i32, type ValueType, type WasmFunction, type WasmModule } from "./instruction.ts";
import { LocalPool } from "./local-pool.ts";
import { closeParameter, closeSingle } from "./loop-pointer.ts";
import { maskCode } from "./mask.ts";
import { layOutMemory, type MemoryLayout } from "./memory-layout.ts";
import { printModule } from "./print-wat.ts";
import { type RunTimeName, runTimeFunctions } from "./run-time-functions.ts";
import { scalarCode } from "./scalar.ts";
import { sharingOf } from "./sharing.ts";
import { statement } from "./statement.ts";
import { vectorCode } from "./vector.ts";

export interface WasmOptions {
  /** Whether products and sums are fused by relaxed SIMD: for numerics "fast", in engines that have it. */
  readonly relaxed: boolean;
  /** Number of threads that share its parallel loops; default: 1. */
  readonly threads?: number;
}

/**
 * The module of a kernel: `run()` reads its inputs and writes its outputs at fixed places of `memory`.
 *
 *     const { bytes, offsets } = generateWasm(func, { relaxed: false });
 */
export function generateWasm(func: LoopFunc, { relaxed, threads = 1 }: WasmOptions): WasmSource {
  const plan = planOf(func, threads);
  const parameters = parametersOf(func.buffers);
  const bytes = encodeModule(buildModule(plan, relaxed));
  return {
    kind: "wasm",
    name: func.name,
    parameters,
    bytes,
    offsets: parameters.map(({ name }) => plan.layout.buffers.get(name)?.offset ?? 0),
    relaxed,
    sharing: sharingOf(bytes, threads),
  };
}

/** The same module as text, for people. */
export const generateWat = (func: LoopFunc, { relaxed, threads = 1 }: WasmOptions): string =>
  printModule(buildModule(planOf(func, threads), relaxed));

interface ModulePlan {
  readonly program: Program;
  readonly threads: number;
  readonly layout: MemoryLayout;
}

function planOf(func: LoopFunc, threads: number): ModulePlan {
  const program = programOf(func, threads);
  return { program, threads, layout: layOutMemory(func.buffers, program.own, threads) };
}

function buildModule({ program, threads, layout }: ModulePlan, relaxed: boolean): WasmModule {
  const runTime = new Set<RunTimeName>();
  const constants = new ConstantPool();
  const inSlots = (extent: number): LoopScope => ({ name: slotVariable, extent, pointers: new Map() });
  const functionOf = (name: string, params: readonly ValueType[], make: (context: Context) => Code): WasmFunction => {
    const locals = new LocalPool(params);
    const context = { ...emptyContext(), layout, relaxed, locals, runTime };
    const code = keepConstants(make(context), locals, constants);
    return { name, params, results: [], locals: locals.types.slice(params.length), code };
  };
  const run = functionOf("run", [], (context) => {
    const slot = inSlots(1);
    context.loops.push(slot);
    const { launches, grids } = program;
    const code = flatMap(launches, (launch) =>
      launch.kind === "serial"
        ? statement(context, launch.body)
        : [i32(grids.indexOf(launch)), i32(launch.loop.extent), call("share")],
    );
    return closeSingle(context, slot, code);
  });
  const shared = program.grids.map(({ loop }, index) =>
    functionOf(`part${index}`, ["i32", "i32"], (context) => {
      const slot = inSlots(threads);
      const at: LoopScope = { name: loop.name, extent: loop.extent, pointers: new Map() };
      context.loops.push(slot, at);
      const code = closeParameter(context, at, 0, statement(context, loop.body));
      return closeParameter(context, slot, 1, code);
    }),
  );
  return {
    memory: { pages: layout.pages, isShared: shared.length > 0 },
    functions: [run, ...shared, ...runTimeFunctions(runTime)],
    constants: constants.vectors,
    exported: 1 + shared.length,
  };
}

/** Context in which no loop is open and nothing is defined. */
const emptyContext = (): Pick<Context, "hoisting" | "loops" | "bindings" | "splats" | "emit"> => ({
  hoisting: true,
  loops: [],
  bindings: new Map(),
  splats: new Map(),
  emit: { scalar: scalarCode, vector: vectorCode, mask: maskCode },
});
