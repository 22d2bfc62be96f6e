// A parser that never ends is named by another thread, and its process ends; one that is only slow goes on.

import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";

/** Runs a program that watches for half a second at most; `watch` is there. */
function run(program: string) {
  const folder = mkdtempSync(join(tmpdir(), "watch-"));
  buildSync({
    entryPoints: [join(import.meta.dirname, "watch.ts")],
    outfile: join(folder, "watch.mjs"),
    platform: "node",
    format: "esm",
    bundle: true,
  });
  const lines = [
    'import { watchInputs } from "./watch.mjs";',
    'const watch = watchInputs("some-parser", 500);',
    program,
  ];
  writeFileSync(join(folder, "program.mjs"), lines.join("\n"));
  return spawnSync(process.execPath, [join(folder, "program.mjs")], { encoding: "utf8", timeout: 30_000 });
}

const waitFor = (ms: number): string => `for (const end = performance.now() + ${ms}; performance.now() < end; );`;

test("an input that does not end is named, and the process ends", () => {
  const { stderr, status, signal } = run("watch.next(6); watch.next(7); for (;;);");
  expect(stderr).toBe("some-parser: input 7 has not ended in 0.5 s: --from 7 --inputs 1\n");
  expect(status === 0 || signal === null).toBe(false);
});

test("inputs that end in time go on", () => {
  const inputs = Array.from({ length: 8 }, (_, at) => `watch.next(${at}); ${waitFor(100)}`);
  expect(run([...inputs, 'console.log("done"); watch.close();'].join("\n"))).toMatchObject({
    status: 0,
    stdout: "done\n",
  });
});
