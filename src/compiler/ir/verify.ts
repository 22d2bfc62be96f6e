// LoopFunc + the form that it should have → what is wrong with it. An empty list is a well-formed function; what a pass
// or a primitive makes must be one.

import { invariant } from "../support/invariant.ts";
import { placeOf } from "./buffer.ts";
import type { Block, Buffer, BufferRole, Expr, If, LoopFunc, Prefetch, Seq, Stmt, Store } from "./loop-ir.ts";
import { printFunc, printStmt } from "./print.ts";
import { printExpr } from "./print-expr.ts";
import { accessProblems, type DeclaredNames, exprProblems, typeOf, typeText } from "./verify-expr.ts";
import { fragmentProblems } from "./verify-fragments.ts";
import { lanesOf, walkExpr, walkStmt } from "./visit.ts";

export type Form = "scheduled" | "lowered" | "flat";

/** Problems in words, each with the statement or expression that has it. */
export function verify(func: LoopFunc, form: Form): readonly string[] {
  const buffers = new Map(func.buffers.map((buffer) => [buffer.name, buffer]));
  const known: DeclaredNames = { buffers, vars: new Set(), locals: new Map() };
  const own = form === "scheduled" ? nameProblems(func.body) : fragmentProblems(func);
  return [...bufferProblems(func.buffers, form), ...own, ...stmtProblems(func.body, known, form)];
}

/** Refuses a malformed function: a bug of the pass or primitive that made it. */
export function assertVerified(func: LoopFunc, form: Form): void {
  const problems = verify(func, form);
  if (problems.length === 0) return; // The text below costs more than the check.
  invariant(false, `${func.name} is not ${form}:\n  ${problems.join("\n  ")}\n${printFunc(func)}`);
}

const when = (isProblem: boolean, text: string): readonly string[] => (isProblem ? [text] : []);

const roleOrder: Readonly<Record<BufferRole, number>> = { input: 0, output: 1, local: 2 };

function bufferProblems(buffers: readonly Buffer[], form: Form): readonly string[] {
  return buffers.flatMap((buffer, at) => {
    const { name, shape, role, memory } = buffer;
    const previous = buffers[at - 1];
    return [
      ...when(buffers.findIndex((each) => each.name === name) !== at, `two buffers are called ${name}`),
      ...when(
        !shape.every((extent) => Number.isInteger(extent) && extent > 0),
        `${name} has the shape ${shape.join("×")}`,
      ),
      ...when(form === "scheduled" && memory === "fragment", `${name} is a fragment, which schedules do not know`),
      ...when(form === "flat" && shape.length !== 1, `${name} has ${shape.length} dimensions, a flat buffer has one`),
      ...when(
        previous !== undefined && roleOrder[previous.role] > roleOrder[role],
        `${placeOf(buffer)} ${name} comes after ${previous && placeOf(previous)} ${previous?.name}`,
      ),
    ];
  });
}

/** Finds names of loops and blocks that are there twice: in the scheduled form, instructions find them by name. */
function nameProblems(body: Stmt): readonly string[] {
  const met = new Set<string>();
  const problems: string[] = [];
  walkStmt(body, (stmt) => {
    if (stmt.kind !== "for" && stmt.kind !== "block") return;
    const name = `${stmt.kind === "for" ? "loop" : "block"} ${stmt.name}`;
    if (met.has(name)) problems.push(`${name} is there twice`);
    met.add(name);
  });
  return problems;
}

function stmtProblems(stmt: Stmt, known: DeclaredNames, form: Form): readonly string[] {
  const isNest = stmt.kind === "for" || stmt.kind === "seq";
  if (form === "scheduled" && !isNest && stmt.kind !== "block")
    return [`a scheduled function has a ${stmt.kind}: ${line(stmt)}`];
  switch (stmt.kind) {
    case "for":
      return [
        ...when(
          !(Number.isInteger(stmt.extent) && stmt.extent >= 0),
          `loop ${stmt.name} has the extent ${stmt.extent}`,
        ),
        ...when(known.vars.has(stmt.name), `loop ${stmt.name} is inside a loop ${stmt.name}`),
        ...stmtProblems(stmt.body, withVars(known, [stmt.name]), form),
      ];
    case "seq":
      return seqProblems(stmt, known, form);
    case "if":
      return ifProblems(stmt, known, form);
    case "store":
      return storeProblems(stmt, known);
    case "define":
      return seqProblems({ kind: "seq", body: [stmt] }, known, form);
    case "assign": {
      const local = known.locals.get(stmt.name);
      if (!local) return [`${stmt.name} is not defined, in ${line(stmt)}`];
      const wanted = typeText(local.dtype, local.lanes);
      const found = typeOf(stmt.value);
      return [
        ...exprProblems(stmt.value, known),
        ...when(stmt.value.kind === "shuffle", `a shuffle is assigned, in ${line(stmt)}`),
        ...when(found !== wanted, `${stmt.name} is ${wanted}, ${found} is assigned, in ${line(stmt)}`),
      ];
    }
    case "sync":
      return form === "scheduled" ? [`a scheduled function has a ${stmt.what}`] : [];
    case "prefetch":
      return prefetchProblems(stmt, known);
    case "block":
      if (form !== "scheduled") return [`a ${form} function has block ${stmt.name}`];
      return blockProblems(stmt, known);
  }
}

const line = (stmt: Stmt): string => printStmt(stmt, { brief: true }).split("\n")[0]!;

const withVars = (known: DeclaredNames, names: readonly string[]): DeclaredNames => ({
  ...known,
  vars: new Set([...known.vars, ...names]),
});

function seqProblems({ body }: Seq, outer: DeclaredNames, form: Form): readonly string[] {
  const locals = new Map(outer.locals);
  const known = { ...outer, locals };
  return body.flatMap((stmt) => {
    if (stmt.kind !== "define" || form === "scheduled") return stmtProblems(stmt, known, form);
    const { name, dtype, lanes, value } = stmt;
    const problems = [
      ...exprProblems(value, known),
      ...when(known.locals.has(name), `${name} is defined again, in ${line(stmt)}`),
      ...when(typeOf(value) !== typeText(dtype, lanes), `${name} is given ${typeOf(value)}, in ${line(stmt)}`),
    ];
    locals.set(name, { dtype, lanes });
    return problems;
  });
}

function ifProblems(stmt: If, known: DeclaredNames, form: Form): readonly string[] {
  const { condition } = stmt;
  return [
    ...exprProblems(condition, known),
    ...when(typeOf(condition) !== "bool", `the condition is ${typeOf(condition)}, in if ${printExpr(condition)}`),
    ...stmtProblems(stmt.then, known, form),
    ...(stmt.else ? stmtProblems(stmt.else, known, form) : []),
  ];
}

function storeProblems(stmt: Store, known: DeclaredNames): readonly string[] {
  const { indices, value, active } = stmt;
  const parts = [...indices, value, ...(active ? [active] : [])].flatMap((expr) => exprProblems(expr, known));
  const buffer = known.buffers.get(stmt.buffer);
  if (!buffer) return [...parts, `there is no buffer ${stmt.buffer}, in ${line(stmt)}`];
  const last = indices.at(-1);
  const wanted = typeText(buffer.dtype, last ? lanesOf(last) : 1);
  const own = [
    ...when(buffer.role === "input", `${stmt.buffer} is an input`),
    ...when(value.kind === "shuffle", "a shuffle is stored"),
    ...accessProblems(buffer, indices, active),
    ...when(typeOf(value) !== wanted, `${typeOf(value)} is stored to ${wanted}`),
  ];
  return [...parts, ...own.map((problem) => `${problem}, in ${line(stmt)}`)];
}

/** Problems of a hint, whose element may lie outside of the buffer. */
function prefetchProblems(stmt: Prefetch, known: DeclaredNames): readonly string[] {
  const { indices } = stmt;
  const buffer = known.buffers.get(stmt.buffer);
  const own = buffer ? accessProblems(buffer, indices, null) : [`there is no buffer ${stmt.buffer}`];
  const vectors = when(
    indices.some((index) => lanesOf(index) > 1),
    "a hint is for one element",
  );
  const parts = indices.flatMap((index) => exprProblems(index, known));
  return [...parts, ...[...own, ...vectors].map((problem) => `${problem}, in ${line(stmt)}`)];
}

function blockProblems(block: Block, known: DeclaredNames): readonly string[] {
  const { name, axes, bindings, buffer, indices, init, value } = block;
  const inner = withVars(
    known,
    axes.map((axis) => axis.name),
  );
  const store = { kind: "store", buffer, indices, active: null } as const;
  return [
    ...when(bindings.length !== axes.length, `block ${name} has ${axes.length} axes and ${bindings.length} bindings`),
    ...axes.flatMap((axis, at) =>
      when(axes.findIndex((each) => each.name === axis.name) !== at, `block ${name} has two axes ${axis.name}`),
    ),
    ...bindings.flatMap((binding) => exprProblems(binding, known)),
    ...bindings.flatMap((binding) =>
      when(typeOf(binding) !== "i32", `block ${name} has a binding of ${typeOf(binding)}`),
    ),
    ...storeProblems({ ...store, value }, inner),
    ...(init ? storeProblems({ ...store, value: init }, inner) : []),
    ...[value, ...indices, ...(init ? [init] : [])].flatMap((expr) => scalarProblems(expr, name)),
  ];
}

/** Problems of an expression that is no scalar: vectors come with the lowered form. */
function scalarProblems(expr: Expr, block: string): readonly string[] {
  const problems: string[] = [];
  walkExpr(expr, (each) => {
    if (lanesOf(each) !== 1) problems.push(`block ${block} has a vector: ${printExpr(each)}`);
  });
  return problems;
}
