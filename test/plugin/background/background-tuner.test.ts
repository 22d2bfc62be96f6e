// The dev server's side of a tuning in another process, which is a script here.

import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBackgroundTuner } from "../../../src/plugin/background/background-tuner.ts";
import type { TunerServices } from "../../../src/plugin/kernel/compile-services.ts";
import type { KernelRequest } from "../../../src/plugin/kernel/kernel-request.ts";
import { resolveOptions } from "../../../src/plugin/options/options.ts";
import { eventually } from "../../support/eventually.ts";

const request: KernelRequest = {
  opFile: "/src/gemm.op.ts",
  target: "wasm",
  parameters: { M: 8 },
  fallback: "wasm",
  threads: 1,
  numerics: "fast",
  mode: "tune",
  budget: { seconds: 1, trials: 8 },
};

/** @param onOrder the body of the process's answer to an order; `say` and `note(line)`, which appends to a file, are there */
function script(onOrder: string) {
  const folder = mkdtempSync(join(tmpdir(), "background-tuner-"));
  const notes = join(folder, "notes");
  const path = join(folder, "tuner.mjs");
  writeFileSync(
    path,
    `import { appendFileSync } from "node:fs";
     const say = (message) => process.send(message);
     const note = (line) => appendFileSync(${JSON.stringify(notes)}, line + "\\n");
     note("started");
     process.on("message", ({ id, request, options }) => { ${onOrder} });
     process.on("disconnect", () => setTimeout(() => { note("gone"); process.exit(0); }, 50));
     say({ kind: "ready" });`,
  );
  const noted = () => (existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n") : []);
  return { tuner: createBackgroundTuner(path), noted };
}

function recordingServices(signal = new AbortController().signal) {
  const said: string[] = [];
  const log = {
    debug: (line: string) => void said.push(`debug: ${line}`),
    info: (line: string) => void said.push(`info: ${line}`),
    warn: (line: string) => void said.push(`warn: ${line}`),
  };
  const onProgress: TunerServices["onProgress"] = (kernel, flops) => void said.push(`${kernel}: ${flops}`);
  return { said, services: { options: resolveOptions({ root: "/app" }), log, signal, onProgress } };
}

describe("tuning in another process", () => {
  it("sends the request and the options, and hears what happens", async () => {
    const { tuner, noted } = script(`
      note([request.opFile, request.parameters.M, options.root, Object.keys(options).includes("accepts")].join());
      say({ kind: "progress", id, kernel: "gemm", flops: 12, progress: {} });
      say({ kind: "line", id, level: "warn", line: "no compiler" });
      say({ kind: "done", id, decided: [0] });`);
    const { services, said } = recordingServices();
    await tuner.tune(request, services);
    expect(said).toEqual(["gemm: 12", "warn: no compiler"]);
    expect(noted()).toContain("/src/gemm.op.ts,8,/app,false");
  });

  it("has one process for what comes together, which goes when that is done, and another for what comes later", async () => {
    const { tuner, noted } = script(`setTimeout(() => say({ kind: "done", id, decided: [0] }), 100);`);
    const { services } = recordingServices();
    await Promise.all([tuner.tune(request, services), tuner.tune(request, services)]);
    await eventually(() => expect(noted()).toEqual(["started", "gone"]));
    await tuner.tune(request, services);
    await eventually(() => expect(noted()).toEqual(["started", "gone", "started", "gone"]));
  });

  it("rejects with what failed, and goes on with the others", async () => {
    const { tuner } = script(
      `say(request.parameters.M === 8 ? { kind: "done", id, decided: [0] } : { kind: "failed", id, diagnostic: { code: "op.threw", message: "no default export", loc: null, hint: null, detail: null } });`,
    );
    const { services } = recordingServices();
    const [good, bad] = await Promise.allSettled([
      tuner.tune(request, services),
      tuner.tune({ ...request, parameters: { M: 9 } }, services),
    ]);
    expect(good.status).toBe("fulfilled");
    expect(bad).toMatchObject({ status: "rejected", reason: { message: "op.threw: no default export" } });
  });

  it("tells how a process ended that should not have, and starts another", async () => {
    const { tuner, noted } = script(
      `if (request.parameters.M === 8) process.kill(process.pid, "SIGKILL"); else say({ kind: "done", id, decided: [0] });`,
    );
    const { services } = recordingServices();
    await expect(tuner.tune(request, services)).rejects.toThrow("the tuning process ended: SIGKILL");
    await tuner.tune({ ...request, parameters: { M: 9 } }, services);
    expect(noted().filter((line) => line === "started")).toHaveLength(2);
  });

  it("says why a process does not start", async () => {
    const tuner = createBackgroundTuner("/no/such/tuner.js");
    await expect(tuner.tune(request, recordingServices().services)).rejects.toThrow(
      /^the tuning process did not start: exit code 1: .*MODULE_NOT_FOUND/s,
    );
  });

  it("rejects with the signal's reason when the process has cleaned up", async () => {
    const { tuner, noted } = script("note('busy');");
    const controller = new AbortController();
    const { services } = recordingServices(controller.signal);
    const tuned = tuner.tune(request, services);
    await eventually(() => expect(noted()).toEqual(["started", "busy"]));
    controller.abort(new Error("the server was closed"));
    await expect(tuned).rejects.toThrow("the server was closed");
    expect(noted()).toEqual(["started", "busy", "gone"]);
    await expect(tuner.tune(request, services)).rejects.toThrow("the server was closed");
  });
});
