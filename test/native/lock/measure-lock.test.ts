// The lock of what measures. It runs in a network namespace of its own, or it would wait for the measurements of others.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { traceName } from "../../../src/native/lock/measure-lock.ts";
import { inTurn } from "../../support/long.ts";
import { overlaps, readTrace } from "../../support/measuring-trace.ts";
import { hasNamespaces, inNamespaces } from "../../support/namespaces.ts";

const turn = inTurn(2);

let folder = "";
let script = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "measure-lock-"));
  script = join(folder, "measure.mjs");
  const source = (name: string): string => JSON.stringify(join(process.cwd(), "src/native/lock", name));
  // measure.mjs <directory or ""> <measurements> <options as JSON>; "squat" in place of a count holds the name as another user.
  const contents = `
    import { createMeasureLock } from ${source("measure-lock.ts")};
    import { acquireMachineLock } from ${source("machine-lock.ts")};
    import { setTimeout as sleep } from "node:timers/promises";
    const [directory, count, options = "{}"] = process.argv.slice(2);
    if (count === "squat") {
      process.setgid(65534);
      process.setuid(65534);
      await acquireMachineLock("measure");
      console.log("held");
      setInterval(() => {}, 1000);
    } else {
      const onNotice = ({ level, line }) => console.log(level + ": " + line);
      const lock = createMeasureLock({ directory: directory || null, onNotice, ...JSON.parse(options) });
      for (let at = 0; at < Number(count); at++) await lock.alone(() => sleep(2));
      console.log("measured");
    }`;
  const bundled = { bundle: true, platform: "node", format: "esm", outfile: script } as const;
  buildSync({ stdin: { contents, resolveDir: folder }, ...bundled });
  execFileSync("chmod", ["-R", "a+rX", folder]);
});
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What commands of one container say, which are started one after the other: each after the first word of the one before. */
async function saidIn(command: string, kinds = inNamespaces("--net")): Promise<readonly string[]> {
  const [name = "", ...args] = kinds;
  const child = spawn(name, [...args, "sh", "-c", command], { stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, "close");
  return text.trim().split("\n");
}

const run = (...args: readonly string[]): string =>
  `${process.execPath} ${script} ${args.map((arg) => `'${arg}'`).join(" ")}`;

describe.skipIf(!hasNamespaces)("the lock of what measures", () => {
  turn("that another user squats is waited for, said, and then done without", async () => {
    const limits = JSON.stringify({ sayAfterMs: 100, giveUpAfterMs: 500 });
    const said = await saidIn(`${run("", "squat")} & sleep 2; ${run("", "3", limits)}; kill $!`);
    const holder = /process \d+ \(node\), since 20\d\d-[-\dT:.]+Z|a process of another user or container/.source;
    expect(said).toEqual([
      "held",
      expect.stringMatching(new RegExp(`^info: waiting to measure: (${holder}) measures on this machine$`)),
      expect.stringMatching(
        new RegExp(
          `^warn: measuring without the lock of the machine: .* \\d s: (${holder}) has it; times may be disturbed$`,
        ),
      ),
      "measured",
    ]);
  });

  turn("that one holder never lets go of is done without sooner than one that many take in turn", async () => {
    const limits = JSON.stringify({ giveUpAfterMs: 30_000, giveUpOnOneAfterMs: 700 });
    const said = await saidIn(`${run("", "squat")} & sleep 2; ${run("", "3", limits)}; kill $!`);
    expect(said).toEqual(["held", expect.stringMatching(/^warn: .* was not free for [12] s: /), "measured"]);
    const inTurn = await saidIn(`${run("", "400")} & ${run("", "400", limits)}; wait`);
    expect(inTurn).toEqual(["measured", "measured"]);
  });

  turn("holds between containers that share a cache directory", async () => {
    const store = join(folder, "store");
    execFileSync("mkdir", [store]);
    writeFileSync(join(store, traceName), "");
    const container = inNamespaces("--net", "--pid");
    const both = await Promise.all([saidIn(run(store, "60"), container), saidIn(run(store, "60"), container)]);
    expect(both).toEqual([["measured"], ["measured"]]);
    const intervals = readTrace(join(store, traceName));
    expect(intervals).toHaveLength(120);
    expect(overlaps(intervals)).toEqual([]);
    // One file a machine comes and goes.
    expect(readdirSync(store)).toEqual([traceName]);
  });

  turn("does without the file where the directory cannot be written", async () => {
    expect(await saidIn(run(join(script, "store"), "1"))).toEqual(["measured"]);
  });
});
