// docs/passes: one page a pass, in the order of the pipeline. The operator and the schedule of a page are run, and its two loop nests
// are those before and after the pass. UPDATE_PASSES=1 writes the nests into the pages.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { transform } from "esbuild";
import { describe, expect, test } from "vitest";
import { wgslGenerator } from "../../src/compiler/codegen/wgsl/wgsl-generator.ts";
import {
  authoring,
  fromCompute,
  instantiate,
  type LoopFunc,
  type Op,
  printFunc,
  schedule,
  type Target,
  type Trace,
  targets,
} from "../../src/compiler/index.ts";
import { hintedPasses, threadPasses } from "../../src/compiler/lower/pipeline.ts";
import { cudaSm90 } from "../../src/compiler/target/cuda.ts";
import { lavapipeTarget } from "../gpu/lavapipe/lavapipe.ts";

/** Targets that pages may name. */
const known = new Map<string, Target>(
  [...Object.values(targets), cudaSm90, lavapipeTarget].map((target) => [target.name, target]),
);

/** A pass of several lists is shown in the first of them. */
const lists = [hintedPasses, threadPasses, wgslGenerator.passes];

interface Example {
  readonly op: Op;
  readonly trace: Trace;
  readonly target: string;
}

const folder = "docs/passes";
const pageOf = (name: string): string => readFileSync(`${folder}/${name}.md`, "utf8");

/** Code of a page's fence in a language; a page has one of each. */
function fence(page: string, language: string): string {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))];
  expect(found, language).toHaveLength(1);
  return found[0]![1]!;
}

/** Returns the definitions of a page's example, which imports from the library by the names that a user has. */
async function exampleOf(page: string): Promise<Example> {
  const { code } = await transform(fence(page, "ts"), { loader: "ts", format: "esm" });
  const body = code.replace(/^import (\{.*?\}) from "unplugin-kernel";$/ms, "const $1 = authoring;");
  const run = new Function("authoring", `${body.replace(/^export \{[^}]*\};?$/ms, "")}\nreturn { op, trace, target };`);
  return run(authoring) as Example;
}

/** The nest as it comes to the pass, and as it leaves it. */
function aroundPass({ op, trace, target }: Example, name: string): readonly [LoopFunc, LoopFunc] {
  const context = { target: known.get(target)!, numerics: "fast" } as const;
  const passes = lists.find((list) => list.some((pass) => pass.name === name))!;
  const at = passes.findIndex((pass) => pass.name === name);
  const scheduled = schedule(fromCompute(instantiate(op, {}, "example"), "example"), trace);
  const before = passes.slice(0, at).reduce((func, pass) => pass.run(func, context), scheduled);
  return [before, passes[at]!.run(before, context)];
}

const names = [...new Set(lists.flatMap((list) => list.map(({ name }) => name)))];

test("each pass has a page, and the index names them in their order", () => {
  const pages = readdirSync(folder).map((file) => file.replace(/\.md$/, ""));
  expect(pages.toSorted()).toEqual([...names, "index"].toSorted());
  const listed = [...pageOf("index").matchAll(/^\d+\. \[`(.*?)`\]\(\1\.md\)/gm)].map(([, name]) => name);
  expect(listed).toEqual(names);
});

describe.each(names)("the page of %s", (name) => {
  test("says what it takes and gives, why it stands there, and what it does to the example", async () => {
    const page = pageOf(name);
    expect(page.startsWith(`# ${name}\n`)).toBe(true);
    for (const heading of ["Takes", "Gives", "Why here"]) expect(page, heading).toContain(`\n**${heading}.** `);
    expect(page).toContain(`src/compiler/lower/pass/${name}.ts`);
    const [before, after] = aroundPass(await exampleOf(page), name).map((func) => `${printFunc(func)}\n`);
    expect(after, "the example shows the pass at work").not.toBe(before);
    if (process.env.UPDATE_PASSES) {
      const filled = page
        .replace(/^(```text before\n).*?(^```$)/ms, (_, open: string, close: string) => `${open}${before}${close}`)
        .replace(/^(```text after\n).*?(^```$)/ms, (_, open: string, close: string) => `${open}${after}${close}`);
      writeFileSync(`${folder}/${name}.md`, filled);
      return;
    }
    expect(fence(page, "text before")).toBe(before);
    expect(fence(page, "text after")).toBe(after);
  });
});
