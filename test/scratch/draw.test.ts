import { test } from "vitest";
import { newDrawnReport, printDrawnReport, runDrawn } from "../support/drawn/run-drawn.ts";
const n = (name: string, d: number) => Number(process.env[name] ?? d);
test("draw", { timeout: 3600000 }, async () => {
  const report = newDrawnReport();
  const t0 = Date.now();
  for (let at = n("FROM", 0); at < n("FROM", 0) + n("COUNT", 100); at += 40) {
    await runDrawn(report, { seed: n("SEED", 1), from: at, count: Math.min(40, n("FROM", 0) + n("COUNT", 100) - at) });
    console.log(printDrawnReport(report), Date.now() - t0);
  }
  const kinds = new Map<string, number>();
  for (const f of report.failures) { const k = f.split("\n")[0]!.slice(0, 150).replace(/\d+/g, "#").replace(/S#\S*|T#\S*/g, "B"); kinds.set(k, (kinds.get(k) ?? 0) + 1); }
  console.log([...kinds].sort((a, b) => b[1] - a[1]).map(([k, c]) => `${c} ${k}`).join("\n"));
  (await import("node:fs")).writeFileSync(process.env.OUT ?? "/tmp/failures.txt", report.failures.join("\n\n=======\n"));
});
