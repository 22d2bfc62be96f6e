// Decisions for processors that are not here: the lock's, a pack's, the remote store's, or the prediction, and the line that sums a build up
// says which. What others have tuned is built and not run; what is wrong with it costs a warning, and the prediction takes its place.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect } from "vitest";
import type { TargetName } from "../../../../src/compiler/index.ts";
import type { Machine } from "../../../../src/native/machine/machine.ts";
import { detectToolchains } from "../../../../src/native/toolchain/detect.ts";
import type { CompiledKernel } from "../../../../src/plugin/kernel/compiled-kernel.ts";
import type { KernelPluginOptions } from "../../../../src/plugin/options/types.ts";
import { summarize } from "../../../../src/plugin/session/summary.ts";
import type { LockEntry } from "../../../../src/tuner/lock/lock-entry.ts";
import type { SharedDecision } from "../../../../src/tuner/store/exchange.ts";
import { armDecision } from "../../../support/arm-decision.ts";
import { writeApp } from "../../../support/build-app.ts";
import { compileIn, gemmText } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { type Double, startDouble } from "../../../support/remote/double.ts";
import { offerAt } from "../../../support/remote/share.ts";
import { writePack } from "../../../support/write-pack.ts";

const turn = inTurn(7);

const hasCompiler = process.platform === "linux" && (await detectToolchains({ platform: "linux-arm64" })).length > 0;
const lacks = hasCompiler ? "" : " (no compiler for linux-arm64)";
/** A machine that runs no native kernel at all: nothing is tuned here. */
const machine: Machine = { platform: "linux-x64", features: [], caches: null, cores: 2 };
const platforms = ["linux-x64", "linux-arm64"] as const;

const app = (): string => writeApp({ "src/gemm.op.ts": gemmText() });
const lockOf = (root: string): Readonly<Record<string, LockEntry>> =>
  JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8")).kernels;
const nameOf = (target: string): string => `src/gemm.op.ts?tune=${target}`;
const addonsOf = ({ twins }: CompiledKernel): readonly string[] =>
  twins.flatMap((twin) => (twin.kind === "native" ? [twin.platform] : []));

/** Builds where nothing is measured, and returns what was said too. */
async function buildIn(root: string, target: TargetName, options: KernelPluginOptions) {
  const said: string[] = [];
  const { kernel, warnings } = await compileIn(root, {
    machine,
    request: { target },
    options,
    change: ({ services }) => ({
      services: { ...services, log: { ...services.log, info: (line) => void said.push(line) } },
    }),
  });
  return { kernel, warnings, said, line: summarize([kernel], "kernels.lock.json", 1) };
}

let server: Double;
const decisions: Partial<Record<TargetName, SharedDecision>> = {};
beforeAll(async () => {
  server = await startDouble();
  if (!hasCompiler) return;
  for (const target of ["neon-dot", "neon-i8mm"] as const) decisions[target] = await armDecision(app(), target);
});
afterAll(() => server.close());
beforeEach(() => {
  server.behave(null);
  server.files.clear();
  server.asked.length = 0;
});

interface Source {
  readonly origin: "pack" | "remote";
  readonly words: string;
  /** Lays a decision down; returns the options that lead to it. */
  readonly offer: (root: string, decision: SharedDecision) => KernelPluginOptions;
  readonly refuses: string;
}

const sources: readonly Source[] = [
  {
    origin: "pack",
    words: "a pack",
    offer(root, decision) {
      writePack(root, { name: "tuned", decisions: [decision] });
      return { packs: ["tuned"] };
    },
    refuses: "nothing is taken from pack tuned: ",
  },
  {
    origin: "remote",
    words: "the remote store",
    offer(_, decision) {
      offerAt(server, "/store", decision.tunedFor!.class, decision);
      return { remote: `${server.url}/store` };
    },
    refuses: "nothing is taken from the remote store: ",
  },
];

describe.skipIf(!hasCompiler).each(sources)(
  `a decision for ARM from a $origin${lacks}`,
  ({ origin, words, offer, refuses }) => {
    const said = (target: string): string =>
      `${nameOf(target)}: this CPU is x64, and the target is arm64; it gets the decision of ${words}, which was built here and not run`;

    turn("decides the addon for another system, and the lock has it without a time", async () => {
      const root = app();
      const options = { platforms, ...offer(root, decisions["neon-dot"]!) };
      const { kernel, line, ...told } = await buildIn(root, "avx2", options);
      expect(kernel).toMatchObject({
        origin: "predicted",
        elsewhere: [{ target: "neon-dot", platforms: ["linux-arm64"], origin, measurements: 0 }],
      });
      expect(addonsOf(kernel)).toEqual(platforms);
      expect(line).toContain(`1 kernel predicted (for linux-arm64 1 from ${words}), 0 measured`);
      expect(told.said).toContain(said("neon-dot"));
      expect(told.warnings.filter((it) => it.includes("neon"))).toEqual([]);
      const { source } = decisions["neon-dot"]!;
      expect(lockOf(root)[nameOf("neon-dot")]).toMatchObject({ source, measured: null, target: { l1Bytes: 65_536 } });
      // The same bytes of the lock, which asks nobody.
      const frozen = await buildIn(root, "avx2", { platforms, mode: "frozen", onMiss: "fallback", cacheDir: "other" });
      expect(frozen.line).toContain("(for linux-arm64 1 from kernels.lock.json)");
      expect(frozen.kernel.twins.slice(0, 2)).toMatchObject(
        kernel.twins.slice(0, 2).map((twin) => ({ bytes: "bytes" in twin && twin.bytes })),
      );
    });

    turn("decides a kernel whose import names a target of ARM, in the same way", async () => {
      const root = app();
      const {
        kernel,
        warnings,
        said: told,
        line,
      } = await buildIn(root, "neon-i8mm", offer(root, decisions["neon-i8mm"]!));
      expect(kernel).toMatchObject({ origin, target: "neon-i8mm", gflops: null, isForOtherCaches: true });
      expect({ warnings, told }).toEqual({ warnings: [], told: [said("neon-i8mm")] });
      expect(line).toContain(`1 kernel from ${words} (tuned for other caches), 0 measured`);
      expect(lockOf(root)[nameOf("neon-i8mm")]).toMatchObject({ measured: null });
    });

    turn.each<[string, (right: SharedDecision) => SharedDecision, string]>([
      [
        "another target's",
        () => ({ ...decisions["neon-i8mm"]!, tunedFor: decisions["neon-dot"]!.tunedFor }),
        "its decisions do not lead to its source",
      ],
      [
        "one with another digest",
        (right) => ({ ...right, source: "0".repeat(64) }),
        "its decisions do not lead to its source",
      ],
      [
        "one outside of the space",
        (right) => ({ ...right, candidate: { template: "none", assignment: {} } }),
        "its decisions do not lead to its source",
      ],
      [
        "one that was measured on another target",
        (right) => ({ ...right, measured: { ...right.measured, machine: decisions["neon-i8mm"]!.measured.machine } }),
        "it was measured on",
      ],
      [
        "one that is faster than any machine",
        (right) => ({ ...right, measured: { ...right.measured, medianNs: 1, gflops: right.measured.gflops * 10_000 } }),
        "no machine is so fast",
      ],
    ])("%s is not taken: the addon has the predicted schedule, and the build says so", async (_, change, why) => {
      const root = app();
      const options = { platforms, ...offer(root, change(decisions["neon-dot"]!)) };
      const { kernel, warnings, line } = await buildIn(root, "avx2", options);
      expect(addonsOf(kernel)).toEqual(platforms);
      expect(line).toContain("(for linux-arm64 1 predicted)");
      expect(warnings.filter((it) => it.startsWith(nameOf("neon-dot")))).toEqual([
        expect.stringContaining(refuses + why),
        expect.stringContaining("it gets the predicted schedule, which was not measured"),
      ]);
    });
  },
);

describe.skipIf(!hasCompiler)(`a remote store that is hostile${lacks}`, () => {
  turn.each<[string, () => void, string]>([
    [
      "garbage",
      () => server.behave((_, response) => void response.writeHead(200).end("\0garbage")),
      "nothing is taken from the remote store",
    ],
    ["an error", () => server.behave((_, response) => void response.writeHead(500).end()), "it answers 500"],
    [
      "a cut connection",
      () => server.behave((request) => void request.socket.destroy()),
      "nothing is taken from the remote store",
    ],
  ])("that answers %s costs a warning, and the addon has the predicted schedule", async (_, misbehave, why) => {
    misbehave();
    const options = { platforms, remote: `${server.url}/store` };
    const { kernel, warnings, line } = await buildIn(app(), "avx2", options);
    expect(addonsOf(kernel)).toEqual(platforms);
    expect(line).toContain("(for linux-arm64 1 predicted)");
    expect(warnings.join("\n")).toContain(why);
  });
});

describe.skipIf(!hasCompiler)(`systems with one family of processors${lacks}`, () => {
  turn("have one decision, and it is said once", async () => {
    const options = { platforms: ["linux-arm64", "darwin-arm64"], mode: "predict" } as const;
    const { kernel, warnings } = await buildIn(app(), "avx2", options);
    expect(kernel.elsewhere).toHaveLength(1);
    expect(addonsOf(kernel)[0]).toBe("linux-arm64");
    const missing = warnings.filter((it) => it.includes("no C compiler for darwin-arm64"));
    expect(addonsOf(kernel)).toHaveLength(2 - missing.length);
  });
});

turn("without a compiler nothing is asked for, and the WASM twin runs there", async () => {
  const root = app();
  rmSync(join(root, "store"), { recursive: true, force: true });
  const options = { platforms: ["linux-x64", "darwin-arm64"] as const, remote: `${server.url}/store` };
  const { kernel, warnings } = await buildIn(root, "avx2", options);
  const isBuilt = addonsOf(kernel).includes("darwin-arm64");
  expect(warnings.some((it) => it.includes("no C compiler for darwin-arm64 found; the WASM twin runs there"))).toBe(
    !isBuilt,
  );
  expect(kernel.elsewhere === undefined).toBe(!isBuilt);
});
