// The passes tell registers that hold fragments from others: in GEMMs of the library on tiles, and in functions by hand where
// something else computes with a tile.

import { describe, expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import {
  type ComputeDef,
  fromCompute,
  instantiate,
  type LoopFunc,
  type Numerics,
  opLibrary,
  schedule,
  type Target,
  targets,
  verify,
} from "../../../../src/compiler/index.ts";
import { add, assign, define, forLoop, loadOf, seq, store } from "../../../../src/compiler/ir/build.ts";
import { fragmentsIn } from "../../../../src/compiler/ir/fragment.ts";
import type { Buffer, Define, Stmt } from "../../../../src/compiler/ir/loop-ir.ts";
import { walkStmt } from "../../../../src/compiler/ir/visit.ts";
import { promoteRegisters } from "../../../../src/compiler/lower/pass/promote-registers.ts";
import { shareLoads } from "../../../../src/compiler/lower/pass/share-loads.ts";
import { narrowGemm, tileBlock } from "../../intrinsic/tensorized-gemm.ts";
import { A, bytesOf, C, onTiles, product, sumsIn, tileLocal, tilePlace, zeros } from "../../ir/fragments.ts";

const context = { target: targets.amx, numerics: "fast" } as const;

const definesIn = ({ body }: LoopFunc): readonly Define[] => {
  const defines: Define[] = [];
  walkStmt(body, (stmt) => stmt.kind === "define" && defines.push(stmt));
  return defines;
};

const memoriesIn = (func: LoopFunc): Readonly<Record<string, string>> =>
  Object.fromEntries(definesIn(func).map(({ name, memory }) => [name, memory]));

const memoryOf = ({ buffers }: LoopFunc, name: string): string | undefined =>
  buffers.find((buffer) => buffer.name === name)?.memory;

interface Lowered {
  readonly scheduled: LoopFunc;
  readonly flat: LoopFunc;
  /** Memory of the sums after each pass that leaves them a buffer. */
  readonly sums: Readonly<Record<string, string>>;
}

function lowered(op: ComputeDef, intrinsic: string, target: Target, numerics: Numerics): Lowered {
  const { dtype } = op.inputs[0]!;
  const kind = dtype === "bf16" ? ({ group: 2, sum: "f32" } as const) : ({ group: 4, sum: "i32" } as const);
  const scheduled = schedule(fromCompute(op), tileBlock({ ...kind, intrinsic, rows: 2, columns: 2 }, 128));
  const sums: Record<string, string> = {};
  const dump = (pass: string, func: LoopFunc): void => {
    const memory = memoryOf(func, "C.acc");
    if (memory) sums[pass] = memory;
  };
  return { scheduled, flat: lower(scheduled, { target, numerics, dump }), sums };
}

describe("a GEMM of the library on tiles", () => {
  const gemm = instantiate(opLibrary.gemm({ M: 32, N: 32, K: 128, dtype: "i8" }), {}, "bytes");
  const mixed = narrowGemm(32, 32, 128, "u8", "i8");
  const halves = narrowGemm(32, 32, 128, "bf16", "bf16");

  test.each([
    ["i8·i8", gemm, "tdpbssd"],
    ["u8·i8", mixed, "tdpbusd"],
    ["bf16·bf16", halves, "tdpbf16ps"],
  ] as const)("%s: sums and shared operands are fragments", (_, op, intrinsic) => {
    const { scheduled, flat, sums } = lowered(op, intrinsic, targets.amx, "fast");
    expect(memoryOf(scheduled, "C.acc")).toBe("register");
    expect(sums).toMatchObject({ flatten: "register", tensorize: "fragment", "hoist-conditions": "fragment" });
    expect(sums).not.toHaveProperty("promote-registers");
    const names = [...[0, 256, 512, 768].map((at) => `C.acc_${at}`), ...[0, 1, 2, 3].map((at) => `load_${at}`)];
    expect(memoriesIn(flat)).toEqual(Object.fromEntries(names.map((name) => [name, "fragment"])));
  });

  test("no fragments for a target without tiles, or sums that tiles may not round", () => {
    for (const { flat, sums } of [
      lowered(mixed, "tdpbusd", targets["avx512-vnni"], "fast"),
      lowered(halves, "tdpbf16ps", targets.amx, "strict"),
    ]) {
      expect(sums.tensorize).toBe("register");
      expect(fragmentsIn(flat.body).size).toBe(0);
    }
  });
});

/** Sets sums to zeros, adds a product, and does `rest` with them. */
const summed = (acc: Buffer, ...rest: readonly Stmt[]): LoopFunc =>
  onTiles(seq(store(acc, tilePlace, zeros), store(acc, tilePlace, product(loadOf(acc, tilePlace))), ...rest), acc);

describe("promote-registers", () => {
  const acc = sumsIn("acc", "fragment");
  const sums = loadOf(acc, tilePlace);

  test("makes a fragment of what is moved as a whole", () => {
    const promoted = promoteRegisters.run(summed(acc, store(C, tilePlace, sums)), context);
    expect(verify(promoted, "flat")).toEqual([]);
    expect(memoriesIn(promoted)).toEqual({ acc_0: "fragment" });
  });

  test("leaves in memory what something else computes with", () => {
    const promoted = promoteRegisters.run(summed(acc, store(C, tilePlace, add(sums, sums))), context);
    expect(verify(promoted, "flat")).toEqual([]);
    expect(memoryOf(promoted, "acc")).toBe("workspace");
    expect(definesIn(promoted)).toEqual([]);
  });

  test("leaves in memory the copy of a fragment that vectors compute with", () => {
    const copy = sumsIn("copy", "register");
    const copied = loadOf(copy, tilePlace);
    const body = summed(acc, store(copy, tilePlace, sums), store(C, tilePlace, add(copied, copied)));
    for (const own of [
      [acc, copy],
      [copy, acc],
    ]) {
      const promoted = promoteRegisters.run(onTiles(body.body, ...own), context);
      expect(verify(promoted, "flat")).toEqual([]);
      expect(promoted.buffers.filter(({ role }) => role === "local").map(({ memory }) => memory)).toEqual([
        "workspace",
      ]);
    }
  });

  test("tells a fragment from vectors of the same buffer that live elsewhere", () => {
    const other = store(C, tilePlace, add(sums, sums));
    const body = seq(
      forLoop("i", 2, summed(acc, store(C, tilePlace, sums)).body),
      forLoop("j", 2, seq(store(acc, tilePlace, zeros), other)),
    );
    const promoted = promoteRegisters.run(onTiles(body, acc), context);
    expect(verify(promoted, "flat")).toEqual([]);
    expect(Object.values(memoriesIn(promoted)).toSorted()).toEqual(["fragment", "register"]);
  });
});

describe("share-loads", () => {
  test("a fragment and a register share no load", () => {
    const D: Buffer = { ...C, name: "D", dtype: "i8", shape: [1024] };
    const acc = tileLocal("acc");
    const place = [...(bytesOf(A) as ReturnType<typeof loadOf>).indices];
    const both = store(D, place, add(bytesOf(A), bytesOf(A)));
    const func = onTiles(
      seq(
        define("acc", zeros, "fragment"),
        assign("acc", product(acc)),
        assign("acc", product(acc)),
        store(C, tilePlace, acc),
        both,
      ),
    );
    const shared = shareLoads.run({ ...func, buffers: [...func.buffers, D] }, context);
    expect(verify(shared, "flat")).toEqual([]);
    expect(memoriesIn(shared)).toEqual({
      acc: "fragment",
      load_0: "fragment",
      load_1: "fragment",
      load_2: "register",
    });
  });

  test("leaves a loop as a fragment", () => {
    const acc = tileLocal("acc");
    const inner = seq(define("acc", loadOf(C, tilePlace), "fragment"), assign("acc", product(acc)));
    const shared = shareLoads.run(onTiles(forLoop("i", 2, inner)), context);
    expect(verify(shared, "flat")).toEqual([]);
    expect(Object.values(memoriesIn(shared))).toEqual(["fragment", "fragment", "fragment", "fragment"]);
  });
});
