// A proof about a schedule, through the API.

import { expect, test } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import { predictSchedule, prove } from "../../src/api/index.ts";

const options = { target: "wasm", parameters: { M: 16, N: 16, K: 16 } } as const;

test("what the model likes best is proven to be its best, or beaten by a schedule that is", async () => {
  const predicted = predictSchedule(gemm, options);
  const patient = { ...options, seconds: 600 };
  const { templates } = await prove(gemm, predicted, patient);
  expect((await prove(gemm, templates[0]!.best?.schedule ?? predicted, patient)).verdict).toBe("none");
});

test("without time it proves nothing", async () => {
  const large = { ...options, parameters: { M: 512, N: 512, K: 512 }, seconds: 0 };
  const [template] = (await prove(gemm, predictSchedule(gemm, large), large)).templates;
  expect(template!.isLeast).toBe(false);
  expect(template!.verdict).not.toBe("none");
});
