// The function that importers keep on a dev server, and what it calls.

import { expect, it } from "vitest";
import type { AnyKernel } from "../../../src/compiler/index.ts";
import { hotKernel } from "../../../src/plugin/runtime/hot.ts";

const kernelOf = (cacheKey: string, schedule: string): AnyKernel =>
  Object.assign(() => schedule, { info: { cacheKey, schedule } }) as unknown as AnyKernel;

it("another schedule of the same kernel comes through the same function", () => {
  const data = {};
  const first = hotKernel(kernelOf("a", "guess"), data);
  expect(hotKernel(kernelOf("a", "measured"), data)).toBe(first);
  expect([first(), first.info.schedule]).toEqual(["measured", "measured"]);
});

it("another kernel is another function, and the first goes on as it was", () => {
  const data = {};
  const first = hotKernel(kernelOf("a", "of the first"), data);
  const second = hotKernel(kernelOf("b", "of the second"), data);
  expect(second).not.toBe(first);
  expect([first(), second()]).toEqual(["of the first", "of the second"]);
  expect(first.info.cacheKey).toBe("a");
});

it("members for GPUs are those of the newest kernel", () => {
  const data = {};
  const on = (kernel: AnyKernel, name: string) => Object.assign(kernel, { device: name, on: () => name });
  const first = hotKernel(on(kernelOf("a", "guess"), "old"), data) as AnyKernel & { device: string; on(): string };
  expect([first.device, first.on()]).toEqual(["old", "old"]);
  hotKernel(on(kernelOf("a", "measured"), "new"), data);
  expect([first.device, first.on()]).toEqual(["new", "new"]);
});

it("a module that nobody replaces has its kernel itself: Vitest gives those of pages no place for data", () => {
  const kernel = kernelOf("a", "guess");
  expect(hotKernel(kernel, undefined)).toBe(kernel);
});
