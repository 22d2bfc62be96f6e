// Options of the compilers, as keys of addons have them.

import { expect, test } from "vitest";
import { compilers, ownFlagsOf } from "../../../src/native/toolchain/compilers.ts";
import { compilerFamilies } from "../../../src/native/toolchain/toolchain.ts";

test.each(compilerFamilies)("options of %s have no path in them", (family) => {
  const options = ownFlagsOf(family, "linux-x64");
  expect(options).toEqual(compilers[family].ownFlags("linux-x64"));
  expect(options.filter((option) => option.includes("/"))).toEqual([]);
});

test.each(["", "toString", "tcc"])("%j is no family, and has no options", (name) =>
  expect(ownFlagsOf(name, "linux-x64")).toEqual([]),
);

test("gcc joins no sums before registers are given out, but for ARM", () => {
  expect(ownFlagsOf("gcc", "linux-x64")).toContain("-fno-tree-coalesce-vars");
  expect(ownFlagsOf("gcc", "linux-arm64")).not.toContain("-fno-tree-coalesce-vars");
});
