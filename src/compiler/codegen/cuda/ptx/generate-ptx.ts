// Flat loop IR of threads → PTX, the virtual machine code that drivers compile for their GPU: one function a launch. No compiler of NVIDIA's is
// needed for it. The language: PTX ISA 8.0, for sm_80 of its version 7.0.

import { add, constInt, eq, variable } from "../../../ir/build.ts";
import type { Buffer, LoopFunc, Stmt } from "../../../ir/loop-ir.ts";
import { walkStmt } from "../../../ir/visit.ts";
import { product } from "../../../support/integer-math.ts";
import type { Numerics } from "../../../target/target.ts";
import { launchBodies } from "../../launch-bodies.ts";
import { createBoxMaps } from "../plan/boxes.ts";
import { arraysOf, bytesOf, factsOf, type KernelFacts } from "../plan/kernel-facts.ts";
import { type LaunchPlan, planLaunch } from "../plan/launch-plan.ts";
import { printBarriers, printMeeting } from "./box-copy.ts";
import type { BufferPlace, PtxContext } from "./context.ts";
import { constant, createEmitter, type Emitter, type Value } from "./emitter.ts";
import { evaluate } from "./expression.ts";
import { printStatement } from "./statement.ts";

/** Version of what is printed for the same function: what stores keep of another one is not taken. */
export const ptxVersion = 1;

/** @param architecture as `.target` names it: "sm_90a" */
export function generatePtx(
  func: LoopFunc,
  { architecture, numerics }: { readonly architecture: string; readonly numerics: Numerics },
): string {
  const facts = factsOf(func);
  const entries = launchBodies(func, { language: "cuda" }).map((body, at) =>
    entryOf(planLaunch(body, `${func.name}_${at}`, func, facts), func, facts, numerics === "fast"),
  );
  const isHopper = /^sm_90/.test(architecture);
  return [
    `.version ${isHopper ? "8.0" : "7.0"}`,
    `.target ${architecture}`,
    ".address_size 64",
    ".extern .shared .align 1024 .b8 uk_group[];",
    ...entries,
    "",
  ].join("\n");
}

function entryOf(plan: LaunchPlan, func: LoopFunc, facts: KernelFacts, isFast: boolean): string {
  const { entry, group } = plan.launch;
  const emitter = createEmitter();
  const maps = createBoxMaps(func);
  const parameter = (at: number): string => `${entry}_param_${at}`;
  const arrays = arraysOf(func);
  const mapAt = (number: number): string => parameter(arrays.length + number);
  let next = 0;
  const groupBase = emitter.compute("mov.u32", "b32", [constant("b32", "uk_group")], true);
  const start: PtxContext = {
    emitter,
    facts,
    plan,
    isFast,
    ranges: plan.ranges,
    groupBase,
    placeOf: placesOf(plan, func, parameter, groupBase, emitter),
    assigned: assignedIn(plan.body),
    variables: new Map(),
    locals: new Map(),
    loaded: new Map(),
    guard: null,
    isCopier: false,
    batches: new Map(),
    mapOf: (array, shape) => {
      const address = emitter.compute("mov.b64", "b64", [constant("b64", mapAt(maps.numberOf(array, shape)))], true);
      return emitter.compute("cvta.param.u64", "b64", [address], true);
    },
    freshRun: () => `uk_run${next++}`,
  };
  const context: PtxContext = { ...start, batches: printBarriers(start) };
  for (const definition of plan.before) printStatement(definition, context);
  if (plan.roles) printCopier(plan.roles.copies, plan.computing, context);
  printStatement(plan.roles?.computes ?? plan.body, context);
  // Until then others may release slots of this group.
  if (plan.cluster) printMeeting(emitter);
  const parameters = [
    ...arrays.map((_, at) => `.param .u64 ${parameter(at)}`),
    ...maps.all.map((_, at) => `.param .align 64 .b8 ${mapAt(at)}[128]`),
  ];
  return [
    `.visible .entry ${entry}(`,
    parameters.join(",\n"),
    ")",
    `.maxntid ${product(group)}, 1, 1`,
    ...(plan.cluster ? [".explicitcluster", `.reqnctapercluster ${plan.cluster.groups}, 1, 1`] : []),
    "{",
    ...plan.arrays.map((buffer) => `.local .align 16 .b8 ${localName(buffer)}[${bytesOf(buffer)}];`),
    ...emitter.finish(),
    "ret;",
    "}",
  ].join("\n");
}

const localName = ({ name }: Buffer): string => `uk_local_${name.replace(/\W/g, "_")}`;

/** Locals that are assigned again. */
function assignedIn(body: Stmt): ReadonlySet<string> {
  const names = new Set<string>();
  walkStmt(body, (stmt) => {
    if (stmt.kind === "assign") names.add(stmt.name);
  });
  return names;
}

function placesOf(
  plan: LaunchPlan,
  func: LoopFunc,
  parameter: (at: number) => string,
  groupBase: Value,
  { compute }: Emitter,
): PtxContext["placeOf"] {
  const move = (name: string): Value => compute("mov.u64", "b64", [constant("b64", name)], true);
  const arrays = arraysOf(func);
  return (name): BufferPlace => {
    const inGroup = plan.places.find(({ buffer }) => buffer.name === name);
    if (inGroup) return { space: "shared", base: groupBase, offset: inGroup.start, isConstant: false };
    const local = plan.arrays.find((buffer) => buffer.name === name);
    if (local) return { space: "local", base: move(localName(local)), offset: 0, isConstant: false };
    const at = arrays.findIndex((buffer) => buffer.name === name);
    const pointer = compute("ld.param.u64", "b64", [constant("b64", `[${parameter(at)}]`)], true);
    const base = compute("cvta.to.global.u64", "b64", [pointer], true);
    return { space: "global", base, offset: 0, isConstant: arrays[at]!.role === "input" };
  };
}

/** Code of the threads along z that do not compute: the first of them copies. */
function printCopier(copies: Stmt, z: number, context: PtxContext): void {
  const { emitter } = context;
  const isOther = evaluate(eq(variable("threadIdx.z"), constInt(z)), context);
  const isFirst = evaluate(eq(add(variable("threadIdx.x"), variable("threadIdx.y")), constInt(0)), context);
  const lines = emitter.block("part", () => printStatement(copies, { ...context, locals: new Map(), isCopier: true }));
  const [behind, end] = [emitter.label(), emitter.label()];
  emitter.lines(
    `@!${isOther.text} bra ${behind};`,
    `@!${isFirst.text} bra ${end};`,
    ...lines,
    `${end}:`,
    "ret;",
    `${behind}:`,
  );
}
