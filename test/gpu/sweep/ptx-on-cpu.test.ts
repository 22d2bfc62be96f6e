// PTX on the CPU: what NVRTC makes of drawn schedules, and what is printed of them, computes what the reference does, also with copies and products
// that come late; and texts with memory and threads, by hand.

import { beforeAll, describe, expect } from "vitest";
import type { CudaSource } from "../../../src/compiler/index.ts";
import type { CudaCompiler } from "../../../src/native/cuda/nvrtc.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { assemblePtx } from "../../compiler/cuda/assemble-ptx.ts";
import { noCudaTools, openNvrtc, resourceUsages } from "../../compiler/cuda/tools.ts";
import { noFakeGpu } from "../../support/cuda.ts";
import { inTurn } from "../../support/long.ts";
import { referenceOf } from "../../support/reference.ts";
import { castsOf, drawn, inPanels, kernelOf, productOfGroups, sourcesOf, swept } from "./kernels-on-cpu.ts";
import { runPtx } from "./ptx/run-ptx.ts";
import { type PtxKernel, wrongPtxOnCpu } from "./ptx-on-cpu.ts";

const turn = inTurn(7);

/** A kernel as it is printed where there is no compiler. */
const printed = (source: CudaSource): PtxKernel => ({ ...source, ptx: source.ptx(source.architecture) });

function without(kernel: PtxKernel, part: RegExp): PtxKernel {
  const ptx = kernel.ptx.replaceAll(new RegExp(part, "g"), "");
  expect(ptx).not.toBe(kernel.ptx);
  return { ...kernel, ptx };
}

/** What a product is wrong without, by the way in which it is copied. */
const needed = [
  ["by threads", "barriers", /bar\.sync\s+0;/],
  ["by threads", "waits for copies", /cp\.async\.wait_group \d+;/],
  ["by boxes", "bytes of boxes", /(?:@%p\d+ )?mbarrier\.expect_tx.*;/],
  ["by boxes", "the loops of waits", /(?<=try_wait[^@]*)@!?%p\d+ bra.*;/],
  ["warp-specialized", "arrivals", /(?:@%p\d+ )?mbarrier\.arrive.*;/],
  ["warp-specialized", "waits for products", /wgmma\.wait_group\.sync\.aligned \d+;/],
  ["in clusters", "boxes for others", /(?:@%p\d+ )?cp\.async.*multicast::cluster.*;/],
  ["in clusters", "arrivals at others", /(?:@%p\d+ )?mbarrier\.arrive.*shared::cluster.*;/],
  ["in clusters", "meetings", /barrier\.cluster\.wait\.acquire\.aligned;/],
] as const;

/** Tests of a product that is compiled or printed: it is right, and no more so once a part is left out. */
function wantsAll(made: (source: CudaSource) => PtxKernel): void {
  turn.each(needed)(
    "%s: a product without %s is wrong",
    (kind, _, part) => {
      const { op, trace } = productOfGroups(kind);
      const { source } = kernelOf(op, trace);
      const reference = referenceOf(op, createRng(3));
      const kernel = made(source);
      const [wrong, wrongWithout] = wrongPtxOnCpu(reference, [kernel, without(kernel, part)]);
      expect(wrong).toBeNull();
      expect(wrongWithout).not.toBeNull();
    },
    120_000,
  );
}

/** Tests of drawn kernels that are compiled or printed. */
function computesRight(made: (source: CudaSource) => PtxKernel): void {
  turn.each(swept)(
    "%s",
    (title) => {
      const round = drawn(title);
      const kernels = sourcesOf(round).map(made);
      const wrong = wrongPtxOnCpu(round.reference!, kernels);
      for (const [at, { ptx }] of kernels.entries()) expect(wrong[at], ptx).toBeNull();
    },
    60_000,
  );

  turn.each(["f32", "f64"] as const)(
    "casts of %s: NaN is 0, and numbers beyond integers are the last of these",
    (from) => {
      for (const { reference, source } of castsOf(from))
        expect(wrongPtxOnCpu(reference, [made(source)])).toEqual([null]);
    },
  );

  // Halves in batches, bytes along the depth, a product that is finished.
  turn.each([0, 2, 4])(
    "products of four warps, round %i",
    (round) => {
      const panels = inPanels(round);
      const kernels = sourcesOf(panels).map(made);
      expect(kernels.some(({ ptx }) => ptx.includes("wgmma.mma_async"))).toBe(true);
      expect(wrongPtxOnCpu(panels.reference!, kernels).filter((wrong) => wrong !== null)).toEqual([]);
    },
    120_000,
  );
}

const missing = noCudaTools ?? noFakeGpu;

describe.skipIf(missing !== null)(`PTX of NVRTC on the CPU${missing ? ` (${missing})` : ""}`, () => {
  let nvrtc: CudaCompiler;
  beforeAll(async () => {
    nvrtc = await openNvrtc();
  });

  const compiled = (source: CudaSource): PtxKernel => ({
    ...source,
    ptx: nvrtc.compile(source, source.architecture).ptx,
  });

  computesRight(compiled);
  wantsAll(compiled);

  turn.each(swept)(
    "%s: the assembler takes what is printed, and nothing spills",
    (title) => {
      for (const source of sourcesOf(drawn(title))) {
        const usages = resourceUsages(assemblePtx(nvrtc, source.ptx(source.architecture), source.architecture));
        for (const { entry } of source.launches) expect(usages.get(entry)).toMatchObject({ stack: 0, local: 0 });
      }
    },
    60_000,
  );
});

describe.skipIf(noFakeGpu !== null)(`printed PTX on the CPU${noFakeGpu ? ` (${noFakeGpu})` : ""}`, () => {
  turn("a negative index and a constant are summed before they are an address in the memory of a group", () => {
    const round = drawn("transposedConv2d", 1);
    const wrong = wrongPtxOnCpu(round.reference!, sourcesOf(round).map(printed));
    expect(wrong.filter((it) => it !== null)).toEqual([]);
  });

  computesRight(printed);
  wantsAll(printed);
});

describe.skipIf(noFakeGpu !== null)(`PTX on the CPU${noFakeGpu ? ` (${noFakeGpu})` : ""}`, () => {
  const entry = (registers: string, body: string): string => `.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 1024 .b8 uk_group[];
.visible .entry one(.param .u64 in, .param .u64 out)
.maxntid 64, 1, 1
{
${registers}
.reg .b64 %in, %out;
ld.param.u64 %in, [in];
cvta.to.global.u64 %in, %in;
ld.param.u64 %out, [out];
cvta.to.global.u64 %out, %out;
${body}
}
`;

  const inputs = (): Uint8Array => Uint8Array.from({ length: 1024 }, (_, at) => (at * 37 + 200) % 256);

  /** Results of the threads of a group: `lines` store what they have in %r0 at [%out]. */
  function results(threads: number, registers: string, lines: string): Uint32Array {
    const out = new Uint32Array(256);
    const store = `.reg .b32 %place; mov.u32 %place, %tid.x; mad.wide.u32 %out, %place, 4, %out; st.global.u32 [%out], %r0; ret;`;
    runPtx(entry(registers, `${lines}\n${store}`), [threads, 1, 1], [inputs(), new Uint8Array(out.buffer)]);
    return out.slice(0, threads);
  }

  const word = (at: number): number => new DataView(inputs().buffer).getUint32(at, true);

  turn.each([
    ["a byte with its sign", "ld.global.s8 %r0, [%in];", 200 - 256],
    ["a byte", "ld.global.nc.u8 %h0, [%in]; cvt.u32.u16 %r0, %h0;", 200],
    ["an element of a vector", "ld.global.v4.u32 {_, _, %r0, _}, [%in+16];", word(24)],
    ["before an address", "add.s64 %d0, %in, 64; ld.global.L1::no_allocate.b32 %r0, [%d0+-60];", word(4)],
    [
      "shared memory",
      "ld.global.v2.b32 {%r1, %r0}, [%in]; st.shared.v2.b32 [uk_group+8], {%r1, %r0}; mov.u32 %r2, uk_group; ld.shared.b32 %r0, [%r2+12];",
      word(4),
    ],
    [
      "shared memory by any address",
      "ld.global.b32 %r1, [%in]; st.shared.b32 [uk_group+8], %r1; mov.u64 %d0, uk_group+8; cvta.shared.u64 %d0, %d0; ld.b32 %r0, [%d0];",
      word(0),
    ],
    [
      "a thread's memory",
      ".local .align 16 .b8 own[32]; mov.u64 %d0, own; cvta.local.u64 %d1, %d0; st.local.b32 [own+16], 7; ld.b32 %r0, [%d1+16];",
      7,
    ],
    ["memory that was not written", ".local .align 4 .b8 own[4]; ld.local.b32 %r0, [own];", -1],
    ["a register that was not written", "mov.b32 %r0, %r1;", -1],
    ["a guard that holds", "mov.u32 %r0, 1; setp.eq.u32 %p0, %r0, 1; @%p0 mov.u32 %r0, 5;", 5],
    ["a guard that does not", "mov.u32 %r0, 1; setp.eq.u32 %p0, %r0, 1; @!%p0 mov.u32 %r0, 5;", 1],
    ["a block with registers of its own", "mov.u32 %r0, 1; { .reg .b32 %r0; mov.u32 %r0, 2; }", 1],
    [
      "a loop",
      'mov.u32 %r0, 0; mov.u32 %r1, 0;\n$again:\n.pragma "nounroll";\nadd.s32 %r0, %r0, %r1; add.s32 %r1, %r1, 1; setp.lt.s32 %p0, %r1, 10; @%p0 bra $again;',
      45,
    ],
  ])("%s", (_, lines, wanted) => {
    const registers = ".reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<2>;";
    expect([...results(1, registers, lines)]).toEqual([wanted >>> 0]);
  });

  const own = `mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; cvt.u64.u32 %d0, %r2; add.s64 %d0, %in, %d0;`;
  turn.each([
    [
      "threads hand each other what they have",
      `${own} ld.global.b32 %r3, [%d0]; shfl.sync.bfly.b32 %r0|%p0, %r3, 5, 31, -1;`,
      (thread: number) => word(4 * (thread ^ 5)),
    ],
    [
      "threads meet",
      `${own} ld.global.b32 %r3, [%d0]; st.shared.b32 [%r2], %r3; bar.sync 0; xor.b32 %r2, %r2, 252; ld.shared.b32 %r0, [%r2];`,
      (thread: number) => word(4 * (thread ^ 63)),
    ],
    [
      "copies are waited for",
      `${own} mad.wide.u32 %d0, %r1, 12, %d0; shl.b32 %r2, %r1, 4; cp.async.cg.shared.global [%r2], [%d0], 16; cp.async.commit_group; cp.async.wait_group 0; ld.shared.b32 %r0, [%r2+4];`,
      (thread: number) => word(16 * thread + 4),
    ],
    [
      "copies that are not waited for are not there",
      `${own} mad.wide.u32 %d0, %r1, 12, %d0; shl.b32 %r2, %r1, 4; cp.async.cg.shared.global [%r2], [%d0], 16; cp.async.commit_group; cp.async.wait_group 1; ld.shared.b32 %r0, [%r2+4];`,
      () => 0xffff_ffff,
    ],
  ])("%s", (_, lines, wanted) => {
    const registers = ".reg .b32 %r<4>; .reg .b64 %d<1>; .reg .pred %p<1>;";
    expect([...results(64, registers, lines)]).toEqual(Array.from({ length: 64 }, (_, thread) => wanted(thread)));
  });

  turn.each([
    ["ld.global.v2.b32 {%r0, %r1}, [%in+4];", "an address is not a multiple of what lies there"],
    ["mov.u32 %r1, 300000; ld.shared.b32 %r0, [%r1];", "an address is outside of shared memory"],
    ["mov.u64 %out, uk_group; st.global.b32 [%out], 1;", "an address of shared memory is used as one of all memory"],
  ])("%s is refused", (lines, why) => {
    expect(() => results(1, ".reg .b32 %r<2>;", lines)).toThrow(why);
  });
});
