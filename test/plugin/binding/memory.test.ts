// An emitted module keeps no caller's memory alive: arrays of a call are collected when the caller lets go of them.

import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { fakeKernel, nativeKernel, noAddon } from "../../support/fake-kernel.ts";
import { writeModule } from "../../support/load-module.ts";

/** Names of a call's arrays that survive when no one holds them any more, in a process that collects garbage when told to. */
function heldAfterCalls(path: string, body: string): readonly string[] {
  const script = `
    import(process.argv[1]).then(async ({ default: kernel }) => {
      const made = () => Object.fromEntries(["A", "B", "C"].map((name) => [name, new Float32Array(8).fill(1)]));
      const refs = [];
      const use = async () => {
        const arrays = made();
        for (const [name, array] of Object.entries(arrays)) refs.push([name, new WeakRef(array)]);
        const { A, B, C } = arrays;
        ${body}
      };
      await use();
      // A WeakRef holds what it was asked for to the end of the job.
      for (let turn = 0; turn < 10; turn++) {
        await new Promise((resolve) => setTimeout(resolve));
        gc();
      }
      console.log(JSON.stringify(refs.filter(([, ref]) => ref.deref()).map(([name]) => name)));
    });`;
  return JSON.parse(execFileSync(process.execPath, ["--expose-gc", "-e", script, path], { encoding: "utf8" }));
}

const once = "kernel(A, B, C);";
const asynchronous = "await kernel.async(A, B, C);";

it.each([
  ["a call", once],
  ["calls with the same arrays", `${once} ${once} await null; ${once}`],
  ["a call off the event loop", asynchronous],
])("of the WASM twin, after %s", (_, body) => {
  expect(heldAfterCalls(writeModule(fakeKernel()), body)).toEqual([]);
});

it.skipIf(noAddon)(`of the native twin, after a call${noAddon ? ` (${noAddon})` : ""}`, () => {
  expect(heldAfterCalls(writeModule(fakeKernel({ native: nativeKernel() })), once)).toEqual([]);
});

it("of the WASM twin, after a call that passes constants", () => {
  expect(heldAfterCalls(writeModule(fakeKernel({ constants: ["B"] })), once)).toEqual([]);
});

it.skipIf(noAddon)(`of the native twin, after a call that passes constants${noAddon ? ` (${noAddon})` : ""}`, () => {
  expect(heldAfterCalls(writeModule(fakeKernel({ native: nativeKernel(), constants: ["B"] })), once)).toEqual([]);
});

it("arrays that somebody holds stay", () => {
  expect(heldAfterCalls(writeModule(fakeKernel()), `${once} globalThis.held = B;`)).toEqual(["B"]);
});
