// Chains of stencils by lot: rows that the next stage reads again are computed once, and schedules that keep them compute the right numbers.
// Each run draws others; more of them run among the drawn operators.

import { expect, test } from "vitest";
import { authoring, instantiate, printComputeDef } from "../../../src/compiler/index.ts";
import type { Template } from "../../../src/tuner/data/space.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { drawStencil } from "../../support/drawn/draw-stencil.ts";
import { drawEach, drawnTargets, problemOf, spaceOf } from "../../support/drawn/schedules-of.ts";
import { fewer, rngOf } from "../../support/long.ts";

const { compute, defineOp, tensor } = authoring;

test("rows are kept in many of them", () => {
  const rng = createRng(1);
  const kept = Array.from({ length: 20 }, () => spaceOf(instantiate(drawStencil(rng, "small"), {}, "op"), "avx2"));
  expect(kept.filter((space) => space.templates.some(hasRows)).length).toBeGreaterThan(3);
});

test("what stored stages are made of may be kept, whether or not their reader carries rows of them", () => {
  const op = defineOp({}, () => {
    const X = tensor("X", [60, 58], "f32");
    const S = compute("S", [57, 58], (y, x) =>
      X(y, x)
        .mul(2)
        .add(X(y.add(3), x).mul(3)),
    );
    const T = compute("T", [54, 56], (y, x) =>
      S(y, x)
        .add(S(y.add(3), x.add(2)))
        .sub(S(y, x.add(1)).mul(S(y.add(2), x))),
    );
    const A = compute("A", [51, 54], (y, x) =>
      T(y, x)
        .add(T(y.add(2), x.add(1)))
        .mul(T(y.add(1), x.add(1))),
    );
    const B = compute("B", [51, 54], (y, x) =>
      T(y, x)
        .sub(T(y, x.add(1)))
        .max(T(y.add(3), x)),
    );
    return compute("Y", [48, 52], (y, x) => {
      const ofA = A(y, x)
        .add(A(y, x.add(2)))
        .max(A(y.add(3), x.add(2)));
      return ofA.sub(
        B(y, x)
          .add(B(y.add(1), x.add(2)))
          .max(B(y.add(2), x.add(2))),
      );
    });
  });
  const names = spaceOf(instantiate(op, {}, "op"), "avx2").templates.map(({ name }) => name);
  expect(names).toEqual(["plain", "T stored, S stored", "B in rows of Y"]);
});

const hasRows = ({ name }: Pick<Template, "name">): boolean => name.includes("in rows of");

test("small ones compute the right numbers", () => {
  const rng = rngOf("small stencils");
  const wrong = Array.from({ length: fewer(100) }).flatMap((_, number) => {
    const op = instantiate(drawStencil(rng, "small"), {}, "op");
    const name = drawnTargets[number % drawnTargets.length]!;
    const space = spaceOf(op, name);
    const drawn = drawEach(space, rng).filter(({ template }) => hasRows({ name: template }));
    const problem = [predict(space)!, ...drawn].map((it) => problemOf(op, space, it, name)).find((it) => it !== null);
    return problem ? [`${name}\n${printComputeDef(op)}${problem}`] : [];
  });
  expect(wrong).toEqual([]);
});
