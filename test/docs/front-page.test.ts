// The figures of README.md are those of the newest committed rows. `UPDATE_README=1 npx vitest run test/docs/front-page.test.ts` writes them anew.

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { type Rows, readRows, withFigures } from "./front-page.ts";

const path = resolve(import.meta.dirname, "../../README.md");
const readme = readFileSync(path, "utf8");

test("the figures of README.md are those of the newest rows", () => {
  const expected = withFigures(readme, readRows());
  if (process.env.UPDATE_README === "1") writeFileSync(path, expected);
  else expect(readme).toBe(expected);
});

const measured = {
  date: "2026-12-01T10:00:00Z",
  commit: "0123456789ab",
  codegen: "21",
  code: "0123456789ab",
  cpu: "AMD EPYC (family 25, model 17)",
  host: "vm",
  node: "v22.21.0",
  compiler: "gcc (Debian 12.2.0-14+deb12u1) 12.2.0",
};
const run = { host: "vite", variant: "tuned schedule", first: 0.02, second: 0.0144 } as const;
const visited = { measured, browser: "157.0.1", versions: { "onnxruntime-web": "1.31.2", tfjs: "4.22.0" } };
const search = {
  ...visited,
  page: "search",
  rows: [
    "computed byloadsone callresult",
    "unplugin-kernel14.3 kB1.14 msequal within 8.6e-8",
    "plain JavaScript–5.40 ms4.7 ×compared with",
    "onnxruntime-web13.3 MB1.15 ms1.0 ×equal within 1.7e-7",
    "tfjs866 kB1.16 ms1.0 ×equal within 2.1e-7",
  ],
};
const layer = {
  ...visited,
  page: "layer",
  rows: [
    "unplugin-kernel20.8 kB327 µsequal within 5.7e-7",
    "plain JavaScript–4.75 ms14.5 ×compared with",
    "onnxruntime-web14.3 MB697 µs2.1 ×equal within 5.7e-7",
    "tfjs866 kB647 µs2.0 ×equal within 9.4e-7",
  ],
};
const image = {
  ...visited,
  page: "image",
  rows: [
    "unplugin-kernel18.8 kB2.57 msequal to the bit",
    "plain JavaScript–10.8 ms4.2 ×compared with",
    "tfjs866 kB38.8 ms15.1 ×equal to the bit",
  ],
};
const rows: Rows = {
  demo: [
    {
      measured,
      budgetSeconds: 20,
      runs: [
        { ...run, twin: "reference", variant: "plain JS loops", gflops: 0.84 },
        { ...run, twin: "wasm", variant: "default schedule", gflops: 31 },
        { ...run, twin: "wasm", gflops: 46.4 },
        { ...run, twin: "wasm", gflops: 46.9, first: 14.2, second: 0.031 },
        { ...run, twin: "native", gflops: 107.3, first: 19.8 },
      ],
      core: { wasm: 41, native: 118.4 },
    },
  ],
  live: { search: [search], layer: [layer], image: [image] },
  install: {
    when: "2026-12-02T10:00:00Z",
    commit: "0123456789ab",
    host: "vite 8",
    bytes: 51.6e6,
    largest: ["z3-solver 35.8 MB"],
  },
  bytes: [
    "| a product of matrices, `?tune=wasm` | 12.2 kB | 1.6 kB | – | 6.2 kB |",
    "| a 3×3 convolution, 56×56×64 to 64 | 12.3 kB | 6.0 kB | – | 8.3 kB |",
    "| ten products of other sizes | 18.5 kB | 20.0 kB | – | 11.9 kB |",
  ].join("\n"),
};

/** The README's tables with nothing in them that rows give. */
const empty = `Three computations in a page,
one thread, ?
(try it):

| | the page loads | a query | a layer | an image |
|---|--:|--:|--:|--:|
| ? |
| ? |
| ? |
| ? |

## Five figures

?
The commands print them.

| what | figure | command |
|---|---|---|
${"| ? |\n".repeat(5)}`;

test("rows are figures, with their machine and their day", () => {
  const lines = withFigures(empty, rows).split("\n");
  expect(lines.filter((line) => line !== "" && !empty.includes(line))).toEqual([
    "one thread, Chromium 157, AMD EPYC (family 25, model 17), code generator 21, 1 December 2026",
    "| plain JavaScript, written with care | 0 kB | 5.4 ms | 4.8 ms | 11 ms |",
    "| onnxruntime-web 1.31 | 13 MB | 1.1 ms | 0.7 ms | – |",
    "| tfjs 4.22, WASM backend | 870 kB | 1.2 ms | 0.65 ms | 39 ms |",
    "| unplugin-kernel | 14 kB ([by import](docs/bytes.md)) | 1.1 ms | 0.33 ms | 2.6 ms |",
    "One thread of an AMD EPYC (family 25, model 17), code generator 21, 1 December 2026, gcc 12.2.0, Node 22.21.0.",
    "| product of two 512 × 512 matrices of f32, WASM | 46 to 47 GFLOP/s; plain JavaScript loops 0.8 | `npm run demo` |",
    "| the same, native | 107 GFLOP/s, of 118 that the core can do | `npm run demo` |",
    "| a build that tunes it | 14 s for WASM, 20 s native; with the lock 14 to 31 ms, bundler included | `npm run demo` |",
    "| code of a page, minified, beside 2 to 6 kB of WASM a kernel | 12.2 kB for the first kernel, 0.7 kB for each further one | `npx vitest run test/docs/bytes.test.ts` |",
    "| what an install adds to a Vite 8 project (2 December 2026) | 52 MB, of which the solver z3 is 36 | `npm run bench:install` |",
  ]);
});

test("all rows of one machine and code generator count, and those of a tree with uncommitted changes are called so", () => {
  const dirty = { ...measured, commit: "0123456789ab-dirty", date: "2026-11-30T10:00:00Z" };
  const demo = rows.demo[0];
  const worse = demo.runs.map((one) => ({ ...one, gflops: one.gflops / 2, first: one.first * 2 }));
  const slow = { ...search, rows: search.rows.map((text) => text.replace("1.14 ms", "1.62 ms")) };
  const text = withFigures(empty, {
    ...rows,
    demo: [{ ...demo, measured: dirty, runs: worse }, demo],
    live: { ...rows.live, search: [slow, search] },
    install: { ...rows.install, commit: "0123456789ab-dirty" },
  });
  expect(text).toContain("code generator 21, 1 December 2026, least and most of 2 records\n");
  expect(text).toContain("| 14 kB ([by import](docs/bytes.md)) | 1.1 to 1.6 ms | 0.33 ms | 2.6 ms |");
  expect(text).toContain(
    "30 November 2026 and 1 December 2026, gcc 12.2.0, Node 22.21.0; least and most of 2 records, 1 of them on a tree with uncommitted changes.\n",
  );
  expect(text).toContain("| the same, native | 54 to 107 GFLOP/s, of 118 that the core can do |");
  expect(text).toContain("| 14 to 28 s for WASM, 20 to 40 s native;");
  expect(text).toContain("(2 December 2026, on a tree with uncommitted changes)");
});

test("a row without native kernels, and a page whose table says nothing, are refused", () => {
  const runs = rows.demo[0].runs.filter(({ twin }) => twin !== "native");
  expect(() => withFigures(empty, { ...rows, demo: [{ ...rows.demo[0], runs }] })).toThrow("wants gcc or clang");
  const withSearch = (rowsOfIt: readonly string[]) =>
    ({ ...rows.live, search: [{ ...search, rows: rowsOfIt }] }) as const;
  expect(() => withFigures(empty, { ...rows, live: withSearch([]) })).toThrow("no times of plain JavaScript");
  expect(() => withFigures(empty, { ...rows, live: withSearch(["tfjs866 kBfailed"]) })).toThrow("no times of");
  expect(() => withFigures(empty.replace("Five figures", "Figures"), rows)).toThrow("README.md has no");
});
