import { expect, test } from "vitest";
import { barChart } from "../../../src/tuner/report/bar-chart.ts";
import { rooflinePlot } from "../../../src/tuner/report/roofline.ts";

const count = (text: string, part: string): number => text.split(part).length - 1;
/** The value of an attribute of each element of a name. */
const attributes = (svg: string, element: string, name: string): readonly string[] =>
  [...svg.matchAll(new RegExp(`<${element} [^>]*?\\b${name}="([^"]*)"`, "g"))].map(([, value]) => value!);

test("a bar for each program that ran a work, as long as it is fast", () => {
  const svg = barChart({
    title: "products <f32>",
    unit: "GFLOP/s",
    programs: ["ours", "OpenBLAS"],
    works: [
      { name: "64³", values: [100, 50] },
      { name: "512³", values: [80, null] },
    ],
    limit: 118,
  });
  // The ground is a rect too, and each program has one in the legend.
  const widths = attributes(svg, "rect", "width").map(Number);
  expect(widths).toHaveLength(1 + 2 + 3);
  const [first, second, third] = widths.slice(3);
  expect(first! / second!).toBeCloseTo(2, 2);
  expect(first! / third!).toBeCloseTo(100 / 80, 2);
  expect(svg).toContain("products &lt;f32&gt;");
  expect(count(svg, 'class="frame"')).toBe(1);
  expect(svg).not.toContain("NaN");
});

test("a chart without a limit has no line for it", () => {
  const svg = barChart({
    title: "bytes",
    unit: "Gop/s",
    programs: ["ours"],
    works: [{ name: "a", values: [417] }],
    limit: null,
  });
  expect(count(svg, 'class="frame"')).toBe(0);
});

test("a kernel at the roof is on the line, one below it is not", () => {
  const point = (name: string, flops: number, bytes: number, ns: number) => ({ name, flops, bytes, ns });
  const svg = rooflinePlot({
    title: "roof",
    gflops: 100,
    reading: 20,
    // 50 operations a byte at 100 GFLOP/s; one a byte at 20, and at 10.
    series: [
      { name: "products", points: [point("at the peak", 50_000, 1000, 500)] },
      { name: "norms", points: [point("at memory's", 1000, 1000, 50), point("half as fast", 1000, 1000, 100)] },
    ],
  });
  const [peak, memory, below] = attributes(svg, "circle", "cy").map(Number);
  const roof = attributes(svg, "path", "d")[0]!;
  // M x y (low end) L x y (ridge) H end: the ridge is as high as what computes at the peak.
  const [, ridgeX, ridgeY] = /L([\d.]+) ([\d.]+)H/.exec(roof)!.map(Number);
  expect(peak).toBeCloseTo(ridgeY!, 0);
  const [, lowX, lowY] = /M([\d.]+) ([\d.]+)L/.exec(roof)!.map(Number);
  const at = Number(attributes(svg, "circle", "cx")[1]);
  const line = lowY! + ((ridgeY! - lowY!) * (at - lowX!)) / (ridgeX! - lowX!);
  expect(memory).toBeCloseTo(line, 0);
  expect(below!).toBeGreaterThan(memory! + 5);
  expect(svg).toContain("<title>half as fast: 10.0 GFLOP/s</title>");
});
