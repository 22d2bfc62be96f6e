// Tuning on Windows: into a lock that Linux takes, by two processes at once, and after a Ctrl-C or a kill as if it had not been.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseLockfile } from "../../../src/tuner/lock/lockfile.ts";
import { eventually } from "../../support/eventually.ts";
import { startWine, windowsFolder, windowsNode } from "../wine-node.ts";
import { windowsProgram } from "./windows-program.ts";
import { hostSkipNote, hostSkipReason, programsLeft, type WindowsProject, windowsProject } from "./windows-project.ts";

/** A few candidates, in as much time as a busy machine takes for them. */
const brief = ["--seconds", "60", "--trials", "16"];

const names = ["ops/gemm.op.ts?tune=avx2", "ops/gemm.op.ts?tune=wasm"];
const temporary = (): readonly string[] =>
  readdirSync(join(windowsFolder, "drive_c/users", userInfo().username, "Temp")).filter((name) =>
    /^unplugin-kernel-[0-9a-f]{8}-/.test(name),
  );

describe.skipIf(hostSkipReason)(`tuning on Windows, under Wine${hostSkipNote}`, () => {
  let project: WindowsProject;
  let pressCtrlC = "";
  beforeAll(async () => {
    project = await windowsProject();
    pressCtrlC = await windowsProgram("press-ctrl-c.c", join(windowsFolder, "drive_c"), "press-ctrl-c.exe");
  });
  afterAll(() => project?.close());
  beforeEach(() => {
    rmSync(project.lockfile, { force: true });
    rmSync(join(project.root, "node_modules/.cache"), { recursive: true, force: true });
  });

  function entries() {
    const lock = parseLockfile(readFileSync(project.lockfile, "utf8"), project.lockfile);
    if (lock.kind !== "ok") throw new Error(lock.diagnostic.message);
    return lock.entries;
  }

  /** Nothing that ran is left, and no folder of it. */
  async function expectNothingLeft(): Promise<void> {
    await eventually(() => expect(programsLeft()).toEqual([]));
    expect(temporary()).toEqual([]);
    expect(readdirSync(project.root).filter((name) => /\.(tmp|lock)$/.test(name))).toEqual([]);
  }

  test("measures WASM and addons, and writes a lock with the names of Linux", async () => {
    const { status, stdout } = await project.command("tune", ...brief);
    expect([status, stdout]).toEqual([0, expect.stringContaining("| ops/gemm.op.ts?tune=avx2 | tuned |")]);
    expect([...entries().keys()].sort()).toEqual(names);
    for (const { measured } of entries().values()) expect(measured!.trials).toBeGreaterThan(0);
    expect(entries().get(names[0]!)!.measured!.toolchain).toMatch(/^zig 0\.16\.0 x86_64-windows-gnu /);
    await expectNothingLeft();
    const verified = await project.command("verify");
    expect([verified.status, verified.stdout]).toEqual([0, expect.stringContaining("2")]);
    await expectNothingLeft();
  });

  test("by two processes at once ends in one lock with the kernels of both", async () => {
    const runs = await Promise.all(
      names.map((name) => project.command("tune", name, ...brief).then(({ status }) => status)),
    );
    expect(runs).toEqual([0, 0]);
    expect([...entries().keys()].sort()).toEqual(names);
    await expectNothingLeft();
  });

  test("of the same kernels by two processes at once ends in one lock", async () => {
    const runs = await Promise.all([1, 2].map(() => project.command("tune", ...brief).then(({ status }) => status)));
    expect(runs).toEqual([0, 0]);
    expect([...entries().keys()].sort()).toEqual(names);
    await expectNothingLeft();
  });

  test("that Ctrl-C ends leaves nothing behind, and the next one goes on", async () => {
    const records = join(project.root, "node_modules/.cache/unplugin-kernel/records.jsonl");
    const tune = [windowsNode, "node_modules/unplugin-kernel/dist/cli.js", "tune", "--seconds", "20"];
    const { ended } = startWine(pressCtrlC, ["C:\\sign", ...tune], project.root);
    // What was measured is written: it is in the middle of the search.
    await eventually(() => expect(existsSync(records)).toBe(true));
    writeFileSync(join(windowsFolder, "drive_c/sign"), "");
    const { status } = await ended;
    expect(status).toBe(130);
    await expectNothingLeft();
    expect((await project.command("tune", ...brief)).status).toBe(0);
    expect([...entries().keys()].sort()).toEqual(names);
    await expectNothingLeft();
  });

  test("that is killed leaves no process, and the next one goes on", async () => {
    const tune = ["node_modules/unplugin-kernel/dist/cli.js", "tune", "--seconds", "20"];
    const { child, ended } = startWine(windowsNode, tune, project.root);
    const records = join(project.root, "node_modules/.cache/unplugin-kernel/records.jsonl");
    await eventually(() => expect(existsSync(records)).toBe(true));
    child.kill("SIGKILL");
    await ended;
    await eventually(() => expect(programsLeft()).toEqual([]));
    expect((await project.command("tune", ...brief)).status).toBe(0);
    expect([...entries().keys()].sort()).toEqual(names);
    await expectNothingLeft();
  });
});
