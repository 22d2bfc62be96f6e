// Some drawn builds; `npm run test:drawn-builds` draws hundreds. And the checks see what they are there for: what was seen of a right build
// is changed in one place after another.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signEntry } from "../../../src/tuner/trust/lock-signature.ts";
import { inTurn } from "../../support/long.ts";
import { checkCase } from "./check-case.ts";
import { type BuildCase, dimensionNames, dimensions, inWords, plainCase } from "./dimensions.ts";
import { drawCase, simplify } from "./draw-case.ts";
import { otherKernel } from "./lay-lock.ts";
import { playCase } from "./play-case.ts";
import { type Built, runCase, type Seen } from "./run-case.ts";
import { deadlineMs } from "./run-program.ts";
import { drawnKey } from "./signing-keys.ts";
import { createWarmProjects } from "./warm.ts";

const turn = inTurn(5);

const warm = createWarmProjects();
afterAll(() => warm.remove());

/** Cases of one kernel, so that what an earlier build left is made once; and of servers that answer at once. */
const quick = { operator: "gemm", target: "wasm", builds: "one" } as const;
const seed = 20_261_125;
const isQuick = ({ remote }: BuildCase): boolean => remote !== "hangs" && remote !== "drips";
const cases = Array.from({ length: 8 }, (_, number) => [number, { ...drawCase(seed, number), ...quick }] as const);

turn.each(cases.filter(([, drawn]) => isQuick(drawn)).slice(0, 5))("case %d is right", async (number, drawn) => {
  expect([inWords(drawn), (await playCase(drawn, warm, number)).problems]).toEqual([inWords(drawn), []]);
});

test("a case is a function of seed and number, and all values are drawn", () => {
  const drawn = Array.from({ length: 400 }, (_, number) => drawCase(7, number));
  expect(drawn).toEqual(Array.from({ length: 400 }, (_, number) => drawCase(7, number)));
  const values = (name: keyof BuildCase): number => new Set(drawn.map((one) => one[name])).size;
  expect(dimensionNames.map(values)).toEqual(dimensionNames.map((name) => dimensions[name].length));
});

test("a case that fails is simplified to what makes it fail", async () => {
  const drawn: BuildCase = { ...plainCase, lock: "with a BOM", store: "warm", remote: "right", trust: "required" };
  const simplest = await simplify(drawn, async ({ lock, remote }) => lock === "with a BOM" && remote === "right");
  expect(inWords(simplest)).toBe("lock with a BOM, remote right");
});

describe("it is found out that", () => {
  let right: Seen;
  beforeAll(async () => {
    right = await runCase({ ...plainCase, lock: "right", mode: "frozen", store: "warm" }, warm, 0);
  });

  const withBuild = (change: (built: Built) => Partial<Built>) => (): Partial<Seen> => ({
    first: right.first.map((built) => ({ ...built, ...change(built) })),
  });
  const withError = (text: string) =>
    withBuild(({ report }) => ({ report: { ...report!, errors: [text] }, printed: null }));
  const printing = (change: object) =>
    withBuild(({ printed }) => ({ printed: { ...(printed as object), ...change } as Built["printed"] }));

  /** A build that tunes and writes the entry of its kernel. */
  const tunedAnew = (drawn: Partial<BuildCase>, isSigned: boolean): Partial<Seen> => {
    const lock = JSON.parse(right.lockBefore);
    const entry = { ...lock.kernels[right.kernel], measured: { ...lock.kernels[right.kernel].measured, trials: 7 } };
    const kernels = { ...lock.kernels, [right.kernel]: { ...entry, ...(isSigned && signEntry(entry, drawnKey)) } };
    return {
      drawn: { ...right.drawn, mode: "tune", ...drawn },
      lockAfter: JSON.stringify({ ...lock, kernels }),
    };
  };

  test.each<[string, () => Partial<Seen>, string]>([
    ["nothing is wrong", () => ({}), ""],
    ["a build hangs", withBuild(({ ended }) => ({ ended: { ...ended, ms: deadlineMs + 1 } })), "a build ends"],
    ["a build dies", withBuild(() => ({ report: null, printed: null })), "a build ends"],
    ["an error has no code", withError("ENOENT: no such file\n  hint: none"), "a build ends"],
    ["an error has no hint", withError("lock.broken: kernels.lock.json:1: no JSON"), "a build ends"],
    ["an error is a bug", withError("kernel.bug: failed\n  hint: report it"), "a build ends"],
    [
      "an exception is not caught",
      withBuild(({ report }) => ({ report: { ...report!, uncaught: ["x"] } })),
      "a build ends",
    ],
    ["a process is left", () => ({ processes: ["sleep 9"] }), "nothing is left"],
    ["a file is left", () => ({ leftovers: ["temporary/x"] }), "nothing is left"],
    ["a result is wrong", printing({ results: [] }), "the kernel computes"],
    ["a sentinel is overwritten", printing({ intact: false }), "the kernel computes"],
    ["planted code ran", () => ({ plantedRan: true }), "nothing planted"],
    ["planted bytes ship", () => ({ files: new Map([["out/x.node", Buffer.from("…planted")]]) }), "nothing planted"],
    ["a frozen build changes the lock", () => ({ lockAfter: "absent" }), "the lock loses"],
    [
      "an entry is lost",
      () => ({
        drawn: { ...right.drawn, mode: "tune" },
        lockAfter: JSON.stringify({
          ...JSON.parse(right.lockBefore),
          kernels: { [right.kernel]: JSON.parse(right.lockBefore).kernels[right.kernel] },
        }),
      }),
      "the lock loses",
    ],
    ["a broken lock is changed", () => ({ lockBefore: "{", lockAfter: "{}" }), "the lock loses"],
    [
      "a frozen build measures",
      withBuild(({ ended }) => ({ ended: { ...ended, stderr: "3 measured, 0 compiler runs" } })),
      "frozen changes",
    ],
    ["a frozen build decides", () => ({ decisionsAfter: ["x"] }), "frozen changes"],
    ["the next build has other bytes", withBuild(() => ({ output: { "main.mjs": "x" } })), "the same build again"],
    ["a build without a remote store asks one", () => ({ asked: ["GET /x"] }), "offline"],
    ["verify is wrong", () => ({ verify: { ...right.verify, exitCode: 1 } }), "verify agrees"],
    ["a secret is in a file", () => ({ files: new Map([["store/x", Buffer.from("5e".repeat(32))]]) }), "secrets"],
    [
      "an entry without a signature is taken",
      () => ({ drawn: { ...right.drawn, trust: "required" }, again: null }),
      "signatures",
    ],
    [
      "an entry with a signature is refused",
      () => ({
        drawn: { ...right.drawn, trust: "required", lock: "signed" },
        again: null,
        ...withError("trust.refused: no\n  hint: sign it")(),
      }),
      "signatures",
    ],
    ["an entry is not signed", () => tunedAnew({ signing: "of a file" }, false), "signatures"],
    ["an entry is signed without a key", () => tunedAnew({}, true), "signatures"],
    [
      "the program interface asks somebody",
      () => ({ drawn: { ...right.drawn, host: "api", remote: "right" }, asked: ["GET /x"] }),
      "offline",
    ],
    ["a claim is believed", printing({ gflops: 1e6 }), "claims"],
  ])("%s", (_, change, invariant) => {
    expect(right.lockBefore).toContain(otherKernel);
    const problems = checkCase({ ...right, ...change() });
    expect(problems.map((problem) => problem.invariant)).toEqual(
      invariant === "" ? [] : [expect.stringContaining(invariant)],
    );
  });
});
