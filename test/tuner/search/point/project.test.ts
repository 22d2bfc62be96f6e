import { describe, expect, test } from "vitest";
import { instantiate, opLibrary, targets } from "../../../../src/compiler/index.ts";
import { check } from "../../../../src/tuner/constraint/check.ts";
import { projectCandidate } from "../../../../src/tuner/search/point/project.ts";
import { drawPoint, type SearchSpace, searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";

const spaceOf = (M: number, N: number, K: number): SearchSpace => {
  const op = instantiate(opLibrary.gemm({ M, N, K, dtype: "f32" }), {}, "gemm");
  return searchSpace(generateSpace({ op, target: targets.wasm, numerics: "fast", threads: 1 }));
};
const [from, to] = [spaceOf(512, 512, 512), spaceOf(60, 768, 35)];
const rng = createRng(3);
const points = Array.from(
  { length: 60 },
  (_, at) => drawPoint(from, from.templates[at % from.templates.length]!, rng, { spread: "look-ahead" })!,
);

describe("a candidate of another shape", () => {
  test("becomes a point of this space that satisfies all constraints", () => {
    for (const { candidate } of points) {
      const point = projectCandidate(to, candidate, createRng(1));
      expect(point?.candidate.template).toBe(candidate.template);
      expect(check(point!.template.template.model, point!.assignment)).toEqual([]);
    }
  });

  test("stays itself where it is allowed", () => {
    for (const { candidate } of points.slice(0, 20))
      expect(projectCandidate(from, candidate, createRng(1))?.candidate).toEqual(candidate);
  });

  test("keeps most of its decisions", () => {
    const kept = points.map(({ candidate }) => {
      const { assignment } = projectCandidate(to, candidate, createRng(1))!.candidate;
      const names = Object.keys(assignment);
      return names.filter((name) => assignment[name] === candidate.assignment[name]).length / names.length;
    });
    expect(kept.reduce((sum, share) => sum + share, 0) / kept.length).toBeGreaterThan(0.6);
  });

  test("is none where its template is unknown", () => {
    expect(projectCandidate(to, { template: "no such template", assignment: {} }, createRng(1))).toBeNull();
  });
});
