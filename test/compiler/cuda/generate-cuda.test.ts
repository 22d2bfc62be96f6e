// CUDA C of lowered functions: what is launched, how memory of the group is laid out, and what is refused. That it computes what
// the loops do is for a GPU to say (`npm run gpu-check`); up to the text the interpreter does.

import { describe, expect, test } from "vitest";
import { codeGeneratorNamed } from "../../../src/compiler/backend/code-generators.ts";
import { lower } from "../../../src/compiler/backend/lower.ts";
import { clusterIn } from "../../../src/compiler/codegen/cuda/plan/cluster.ts";
import type { CudaSource } from "../../../src/compiler/codegen/cuda/plan/cuda-source.ts";
import { rolesIn } from "../../../src/compiler/codegen/cuda/plan/roles.ts";
import {
  authoring,
  type ComputeDef,
  fromCompute,
  instantiate,
  schedule,
  type Target,
  type Trace,
} from "../../../src/compiler/index.ts";
import {
  constInt,
  floorDiv,
  forLoop,
  ifThen,
  lt,
  seq,
  sync,
  syncBoxes,
  variable,
} from "../../../src/compiler/ir/build.ts";
import type { Expr } from "../../../src/compiler/ir/loop-ir.ts";
import { noRanges } from "../../../src/compiler/ir/ranges.ts";
import { updateFor } from "../../../src/compiler/ir/update.ts";
import { cudaSm80, cudaSm90 } from "../../../src/compiler/target/cuda.ts";
import { byGroups, byWarps, productOf } from "./schedules.ts";

const { compute, defineOp, tensor } = authoring;

function sourceOf(op: ComputeDef, trace: Trace, target: Target = cudaSm90): CudaSource {
  const options = { target, numerics: "fast" } as const;
  const flat = lower(schedule(fromCompute(op), trace), options);
  return codeGeneratorNamed("cuda").generate(flat, options) as CudaSource;
}

const double = instantiate(
  defineOp({ N: 40 }, ({ N }) => {
    const float = tensor("float", [N], "f16");
    return compute("C", [N], (i) => float(i).mul(2));
  }),
  {},
  "double",
);

test("a map is one launch; threads past the end do nothing, and names of the language are no matter", () => {
  const { text, launches, scratch } = sourceOf(double, [
    { kind: "split", loop: "C.i", factors: [2, 32], tail: "guard" },
    { kind: "bind", loop: "C.i.0", axis: "blockIdx.x" },
    { kind: "bind", loop: "C.i.1", axis: "threadIdx.x" },
  ]);
  expect({ launches, scratch }).toEqual({
    launches: [{ entry: "double_0", grid: [2, 1, 1], group: [32, 1, 1], groupBytes: 0 }],
    scratch: [],
  });
  expect(text.slice(text.indexOf("extern"))).toMatchInlineSnapshot(`
    "extern "C" __global__ void __launch_bounds__(32) double_0(const unsigned short *__restrict__ float_, float *__restrict__ C_) {
      const int blockIdx_x_ = blockIdx.x;
      const int threadIdx_x_ = threadIdx.x;
      if ((((blockIdx_x_ * 32) + threadIdx_x_) < 40)) {
        C_[((blockIdx_x_ * 32) + threadIdx_x_)] = (uk_f16_to_f32(float_[((blockIdx_x_ * 32) + threadIdx_x_)]) * (2.0f));
      }
    }
    "
  `);
});

test("what is never negative is divided without a sign", () => {
  const shifted = instantiate(
    defineOp({ N: 40 }, ({ N }) => {
      const float = tensor("float", [N], "f32");
      const any = tensor("any", [N], "i32");
      return compute("C", [N], (i) => float(i.floorDiv(3)).add(any(i).floorDiv(3).cast("f32")));
    }),
    {},
    "shifted",
  );
  const { text } = sourceOf(shifted, [{ kind: "bind", loop: "C.i", axis: "threadIdx.x" }]);
  expect(text).toContain("float_[(int)((unsigned)threadIdx_x_ / 3u)]");
  expect(text).toContain("uk_floor_div<int>(any_[threadIdx_x_], 3)");
});

test("what no loop gives to threads is a launch of one", () => {
  const { launches, text } = sourceOf(double, []);
  expect(launches).toEqual([{ entry: "double_0", grid: [1, 1, 1], group: [1, 1, 1], groupBytes: 0 }]);
  expect(text).toContain("for (int C_i_ = 0; C_i_ < 40; C_i_++)");
});

const sizes = { M: 256, N: 256, K: 256, dtype: "bf16" } as const;

describe("products on tensor cores", () => {
  const blocks = { rows: 128, columns: 128, depth: 64, across: 2, along: 1, stages: 3, neighbours: 2 };

  test("by warps: operands by ldmatrix, copies in the background, memory as the sum of all slots", () => {
    const { text, launches, architecture } = sourceOf(productOf(sizes), byWarps(sizes, blocks), cudaSm80);
    const slots = 3 * 2 * (128 * (64 + 8) + 64 * (128 + 8));
    expect(launches).toEqual([{ entry: "gemm_0", grid: [4, 1, 1], group: [32, 1, 2], groupBytes: slots }]);
    expect(architecture).toBe("sm_80");
    const count = (word: string): number => text.split(word).length - 1;
    // Four by eight tiles a warp, four steps deep; each has a helper's text besides.
    expect([count("uk_product_bf16(") - 1, count("uk_load_rows(") - 1, count("uk_load_columns(") - 1]).toEqual([
      128, 16, 32,
    ]);
    // For the first slots and for those ahead: sixteen pieces of each operand a thread.
    expect(count("uk_copy16(") - 1).toBe(2 * (16 + 16));
    expect(text).toContain("cp.async.wait_group 1;");
  });

  test("by groups of warps: operands by descriptors, products that are waited for later, places that are swapped", () => {
    const { text, launches, architecture } = sourceOf(productOf(sizes), byGroups(sizes, blocks, 128));
    expect(launches).toEqual([
      { entry: "gemm_0", grid: [4, 1, 1], group: [128, 1, 2], groupBytes: 3 * 2 * (128 * 64 + 64 * 128) },
    ]);
    expect(architecture).toBe("sm_90a");
    const order = [...text.matchAll(/wgmma\.(fence|commit_group|wait_group)[a-z.]*( \d)?|__syncthreads|fence\.proxy/g)];
    expect(order.map(([all]) => all)).toEqual([
      "wgmma.wait_group.sync.aligned 1",
      "fence.proxy",
      "__syncthreads",
      "wgmma.fence.sync.aligned",
      "wgmma.commit_group.sync.aligned",
      "wgmma.wait_group.sync.aligned 0",
    ]);
    expect(text).toContain("uk_copy16(uk_shared(&A_pack_[uk_swizzle(");
  });

  test("by boxes: one thread asks for panels, at a barrier for each slot, and all wait there", () => {
    const { text, launches } = sourceOf(productOf(sizes), byGroups(sizes, blocks, 128, "by boxes"));
    const operands = 3 * 2 * (128 * 64 + 64 * 128);
    const map = { elementBytes: 2, columns: 256, rows: 256 };
    const maps = [
      { ...map, array: 1, box: [64, 64] },
      { ...map, array: 0, box: [64, 128] },
    ];
    expect(launches).toEqual([
      { entry: "gemm_0", grid: [4, 1, 1], group: [128, 1, 2], groupBytes: operands + 3 * 8, maps },
    ]);
    expect(text).toContain("const __grid_constant__ uk_map uk_map0, const __grid_constant__ uk_map uk_map1)");
    expect(text).not.toContain("uk_copy16");
    const body = text.slice(text.indexOf("for (int C_sum_k_0_"));
    const order = [...body.matchAll(/wgmma\.(fence|commit_group|wait_group)|__syncthreads|uk_(await|box|arrive)\(/g)];
    expect(order.map(([all]) => all)).toEqual([
      "uk_await(",
      "wgmma.wait_group",
      "__syncthreads",
      ...["uk_box(", "uk_box("],
      "uk_arrive(",
      "wgmma.fence",
      "wgmma.commit_group",
      "wgmma.wait_group",
    ]);
  });

  test("warp-specialized: further threads ask for boxes, and those that compute release slots", () => {
    const { text, launches } = sourceOf(productOf(sizes), byGroups(sizes, blocks, 128, "by boxes, warp-specialized"));
    const operands = 3 * 2 * (128 * 64 + 64 * 128);
    expect(launches).toMatchObject([{ grid: [4, 1, 1], group: [128, 1, 3], groupBytes: operands + 3 * 2 * 8 }]);
    // All threads wait once, for the barriers to be there; eight warps release a slot.
    expect(text.match(/__syncthreads/g)).toHaveLength(1);
    expect(text).toContain("uk_begin_slot(uk_shared(&uk_slots3[at]), 1);");
    expect(text).toContain("uk_begin_slot(uk_shared(&uk_free3[at]), 8);");
    const [, copies, computes] = text.split(/if \(threadIdx\.z == 2\) \{\n|\n {4}return;\n/) as [
      string,
      string,
      string,
    ];
    const orderOf = (part: string): readonly string[] =>
      [...part.matchAll(/wgmma\.(fence|commit_group|wait_group)|uk_(await|box|arrive)\(.*?uk_(slots|free)/g)].map(
        ([, product, call, barriers]) => product ?? `${call} ${barriers}`,
      );
    const filled = ["await free", "box slots", "box slots", "arrive slots"];
    expect(orderOf(copies)).toEqual([...filled, ...filled]);
    expect(orderOf(computes)).toEqual([
      ...["await slots", "fence", "commit_group", "wait_group"],
      ...["arrive free", "wait_group", "arrive free"],
    ]);
  });

  describe("clusters", () => {
    const inClusters = (cluster: number, copies: Parameters<typeof byGroups>[3] = "by boxes, warp-specialized") =>
      sourceOf(productOf(sizes), byGroups(sizes, { ...blocks, neighbours: 2, cluster }, 128, copies));

    test("each group asks for a half of the columns, for both, and has its rows for itself", () => {
      const { text, launches } = inClusters(2);
      expect(text).toContain("void __cluster_dims__(2, 1, 1) __launch_bounds__(384)");
      expect(launches).toMatchObject([{ grid: [4, 1, 1], cluster: 2 }]);
      const [columns, rows] = launches[0]!.maps!;
      expect([columns!.box, rows!.box]).toEqual([
        [64, 32],
        [64, 128],
      ]);
      expect(text).toMatch(/uk_shared_box\(uk_shared\(&B_pack_\[.*blockIdx_x_ & 1\) \* 2048.*, 8192, 3\);/);
      expect(text).toMatch(/uk_box\(uk_shared\(&A_pack_\[/);
      // Eight warps of each group release a slot, at both.
      expect(text).toContain("uk_begin_slot(uk_shared(&uk_free3[at]), 16);");
      expect(text).toContain("if (threadIdx.x % 32 < 2) uk_arrive_at(");
    });

    test("a cluster of one group is none", () => {
      expect(inClusters(1).text).not.toContain("__cluster_dims__");
    });

    test("clusters are whole, not too large, and want threads of their own for boxes", () => {
      expect(() => inClusters(3)).toThrow("4 groups are no whole clusters of 3");
      expect(() => inClusters(16)).toThrow("a cluster has 16 groups");
      expect(() => inClusters(2, "by boxes")).toThrow("add the word warp-specialized");
    });

    test("all groups of a cluster ask for their parts under the same conditions", () => {
      const copiesWhere = (condition: Expr) => {
        const copies = updateFor(forLoop("k", 4, ifThen(condition, syncBoxes("fill", 3))), {
          annotations: { cluster: 2 },
        });
        return () => clusterIn(copies, [], new Map([["blockIdx.x", 8]]), noRanges, copies);
      };
      const group = variable("blockIdx.x");
      expect(copiesWhere(lt(floorDiv(group, constInt(2)), constInt(3)))()!.groups).toBe(2);
      expect(copiesWhere(lt(group, constInt(3)))).toThrow("copy different boxes where blockIdx.x < 3");
    });
  });

  test("a thread that copies does not wait where those that compute do", () => {
    const body = seq(syncBoxes("await-release", 3), sync("barrier"));
    expect(() => rolesIn(body, { group: new Set(), global: new Set() })).toThrow(
      "threads that compute wait for one that copies",
    );
  });

  test("boxes are copied ahead, to panels, by machines that have them", () => {
    const boxed = byGroups(sizes, blocks, 128, "by boxes");
    expect(() => sourceOf(productOf(sizes), boxed, cudaSm80)).toThrow("bind.shared-storage");
    const atOnce = boxed.filter((it) => it.kind !== "annotate" || it.key !== "stages");
    expect(() => sourceOf(productOf(sizes), atOnce)).toThrow("a tile of B.pack is copied at once");
  });

  test("tiles of a warp have 32 lanes, where no loop says so too", () => {
    const wide = byWarps(sizes, blocks).filter((it) => it.kind !== "bind" || it.axis !== "threadIdx.x");
    const { launches, text } = sourceOf(productOf(sizes), wide);
    expect(launches[0]!.group).toEqual([32, 1, 2]);
    expect(text).toContain("if ((threadIdx_x_ == 0)) {");
  });

  test("memory of a group has an end", () => {
    expect(() => sourceOf(productOf(sizes), byWarps(sizes, { ...blocks, depth: 128, stages: 4 }))).toThrow(
      "a group wants 278528 bytes of memory, cuda-sm90 has 232448",
    );
  });

  test("Ampere has no products of groups", () => {
    expect(() => sourceOf(productOf(sizes), byGroups(sizes, blocks, 128), cudaSm80)).toThrow("bind.shared-storage");
  });
});
