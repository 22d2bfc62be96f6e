// The page as text: it holds any data unchanged, runs only its own script, and loads nothing.

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { reportPage } from "../../../src/plugin/report/report-page.ts";
import { dataIn } from "../../support/report-in-page.ts";
import { syntheticKernel, syntheticReport } from "../../support/synthetic-report.ts";

const kernel = syntheticKernel({ name: "src/gemm.op.ts?tune=avx2", candidates: 40, hasRoof: true });
const data = syntheticReport([kernel]);
const page = reportPage(data);
/** Without the data. */
const frame = reportPage(syntheticReport([]));

test("data stays what it is, markup in it too", () => {
  expect(dataIn(page)).toEqual(data);
  const wicked = { ...data, project: "</script><script>alert(1)</script><!-- $& $1 {{data}}" };
  const text = reportPage(wicked);
  expect(dataIn(text)).toEqual(wicked);
  expect(text.match(/<\/script>/g)).toHaveLength(2);
  expect(text).not.toContain("<script>alert");
});

test("its policy lets run its own script and style alone, and nothing be loaded", () => {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)![1]!;
  const [script, style] = [/<script>(.*?)<\/script>/s, /<style>(.*?)<\/style>/s].map((part) => part.exec(page)![1]!);
  const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  expect(policy.split("; ")).toEqual([
    "default-src 'none'",
    `script-src ${hashOf(script!)}`,
    `style-src ${hashOf(style!)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});

test("no address of a network is in it", () => {
  expect(frame).not.toMatch(/https?:\/\/|\bsrc=|@import|url\(/);
  expect([...frame.matchAll(/\bhref="?([^" ]*)/g)].map(([, address]) => address)).toEqual(["data:,"]);
});

test("without data it has less than 150 kB", () => {
  expect(Buffer.byteLength(frame)).toBeLessThan(150_000);
});
