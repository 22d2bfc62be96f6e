// CUDA C of drawn schedules, run on the CPU: what is printed computes what the reference does, and a barrier or a wait that is left out of the
// text is seen.

import { describe, expect } from "vitest";
import type { CudaSource, Trace } from "../../../src/compiler/index.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { byGroups, byWarps, productOf } from "../../compiler/cuda/schedules.ts";
import { noFakeGpu } from "../../support/cuda.ts";
import { inTurn } from "../../support/long.ts";
import { type Reference, referenceOf, wrongAccesses } from "../../support/reference.ts";
import { wrongOnCpu } from "./cuda-on-cpu.ts";
import type { Round } from "./draw-round.ts";
import {
  blocks,
  castsOf,
  drawn,
  inPanels,
  kernelOf,
  productOfGroups,
  sizes,
  sourcesOf,
  swept,
} from "./kernels-on-cpu.ts";

const turn = inTurn(7);

/** How many of the texts are wrong once a part is left out of them. */
function wrongWithout(reference: Reference, sources: readonly CudaSource[], part: RegExp): number {
  const parted = sources.filter(({ text }) => part.test(text));
  expect(parted.length).toBeGreaterThan(0);
  const cut = parted.map((source) => ({ ...source, text: source.text.replaceAll(new RegExp(part, "g"), "") }));
  return wrongOnCpu(reference, cut).filter((wrong) => wrong !== null).length;
}

const wrongOfRound = (round: Round, part: RegExp): number => wrongWithout(round.reference!, sourcesOf(round), part);

describe.skipIf(noFakeGpu !== null)(`CUDA C on the CPU${noFakeGpu ? ` (${noFakeGpu})` : ""}`, () => {
  turn.each(swept)(
    "%s",
    (title) => {
      const round = drawn(title);
      const wrong = wrongOnCpu(round.reference!, sourcesOf(round));
      for (const [at, { text }] of round.schedules.entries()) expect(wrong[at], text).toBeNull();
    },
    60_000,
  );

  turn.each(["f32", "f64"] as const)(
    "casts of %s: NaN is 0, and numbers beyond integers are the last of these",
    (from) => {
      for (const { reference, source } of castsOf(from)) expect(wrongOnCpu(reference, [source])).toEqual([null]);
    },
  );

  // Halves in batches, bytes along the depth, a product that is finished.
  turn.each([0, 2, 4])(
    "products of four warps, round %i",
    (round) => {
      const panels = inPanels(round);
      const sources = sourcesOf(panels);
      expect(sources.some(({ text }) => text.includes("uk_products"))).toBe(true);
      expect(wrongOnCpu(panels.reference!, sources).filter((wrong) => wrong !== null)).toEqual([]);
    },
    120_000,
  );

  // A group computes two of the four blocks, one after the other, and fills the slots of the first anew.
  const halved = (trace: Trace): Trace => {
    const block = "C.sum.i.0.0+C.sum.j.0+C.sum.i.0.1";
    return trace.flatMap((it): Trace => {
      if (it.kind === "cache-write") return [{ ...it, loop: `${block}.1` }];
      if (it.kind !== "bind" || it.loop !== block) return [it];
      return [
        { kind: "split", loop: block, factors: [2, 2], tail: "perfect" },
        { ...it, loop: `${block}.0` },
      ];
    });
  };
  turn.each([
    ["of warps", byWarps(sizes, blocks)],
    ["of four warps", byGroups(sizes, blocks, 128)],
    ["of four warps, by boxes", byGroups(sizes, blocks, 128, "by boxes")],
    ["of four warps, warp-specialized", byGroups(sizes, blocks, 128, "by boxes, warp-specialized")],
  ])(
    "groups that go on to a further part of a product: %s",
    (_, trace) => {
      const op = productOf(sizes);
      const { flat, source } = kernelOf(op, halved(trace));
      const reference = referenceOf(op, createRng(3));
      expect(wrongOnCpu(reference, [source])).toEqual([null]);
      expect(wrongAccesses(reference, flat)).toBeNull();
    },
    120_000,
  );

  turn(
    "statements of one thread between launches share what they load",
    () => {
      const round = drawn("operators by lot", 1, 6);
      const sources = sourcesOf(round);
      expect(sources[0]!.text).toMatch(/float load_\d+_ = S1_sum_\[0\];\n.*S1_\[0\] = \(load_/);
      expect(wrongOnCpu(round.reference!, sources).filter((wrong) => wrong !== null)).toEqual([]);
    },
    60_000,
  );

  turn(
    "a barrier that is missing is seen",
    () => {
      expect(wrongOfRound(drawn("softmax, long"), /__syncthreads\(\);/)).toBeGreaterThan(0);
      expect(wrongOfRound(drawn("gemm of whole tiles"), /__syncthreads\(\);/)).toBeGreaterThan(0);
    },
    60_000,
  );

  turn(
    "a wait for copies that is missing is seen",
    () => {
      const wait = /asm volatile\("cp\.async\.wait_group \d+;" ::: "memory"\);/;
      expect(wrongOfRound(drawn("gemm of whole tiles"), wait)).toBeGreaterThan(0);
    },
    60_000,
  );

  const waitForProducts = /asm volatile\("wgmma\.wait_group\.sync\.aligned \d+;" ::: "memory"\);/;
  turn.each([
    ["by boxes", "the wait for boxes", /(?<=\n +)uk_await\(.*\);/],
    ["by boxes", "the barrier behind it", /__syncthreads\(\);(?=\n +if \(\()/],
    ["by boxes", "the wait for products", waitForProducts],
    ["by boxes, warp-specialized", "the wait for boxes", /uk_await\(.*uk_slots.*\);/],
    ["by boxes, warp-specialized", "the wait for a slot", /uk_await\(.*uk_free.*\);/],
    ["by boxes, warp-specialized", "the release of a slot", /if .* uk_arrive\(.*uk_free.*\);/],
    ["by boxes, warp-specialized", "the wait for products", waitForProducts],
  ] as const)(
    "%s: %s that is missing is seen",
    (kind, _, part) => {
      const op = productOf({ ...sizes, K: 512 });
      const { source } = kernelOf(op, byGroups({ ...sizes, K: 512 }, { ...blocks, rows: 128, across: 2 }, 128, kind));
      expect(wrongWithout(referenceOf(op, createRng(3)), [source], part)).toBe(1);
    },
    120_000,
  );

  turn.each([
    ["the arrival at the barriers of all groups", /if .* uk_arrive_at\(.*\);/],
    ["the wait for a slot", /(?<=\n +)uk_await_cluster\(.*\);/],
    ["the first meeting", /uk_meet_cluster\(\);(?!\n\})/],
    ["the last meeting", /uk_meet_cluster\(\);(?=\n\})/],
  ])(
    "in clusters: %s that is missing is seen",
    (_, part) => {
      const { op, trace } = productOfGroups("in clusters");
      const { flat, source } = kernelOf(op, trace);
      const reference = referenceOf(op, createRng(3));
      expect(source.launches[0]!.cluster).toBe(2);
      expect(wrongOnCpu(reference, [source])).toEqual([null]);
      expect(wrongAccesses(reference, flat)).toBeNull();
      expect(wrongWithout(reference, [source], part)).toBe(1);
    },
    120_000,
  );
});
