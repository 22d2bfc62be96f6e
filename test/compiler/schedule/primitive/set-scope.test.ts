import { expect, test } from "vitest";
import { blur, buffersAfter, refusal, refusedOn, scheduled } from "../nests.ts";

test("an intermediate buffer to registers", () => {
  const toRegister = { kind: "set-scope", buffer: "P", scope: "register" } as const;
  expect(scheduled(blur, toRegister)).toBe(scheduled(blur));
  expect(buffersAfter(blur, toRegister)).toEqual(["input X f32[10]", "output Q f32[9]", "register P f32[10]"]);
});

test("no such buffer", () => {
  expect(refusal(blur, { kind: "set-scope", buffer: "Z", scope: "register" })).toBe(
    refusedOn(blur, "set-scope.no-such-buffer: there is no buffer Z"),
  );
});

test("an input", () => {
  expect(refusal(blur, { kind: "set-scope", buffer: "X", scope: "register" })).toBe(
    refusedOn(blur, "set-scope.parameter: X cannot move from input to register"),
  );
});

test("to a parameter", () => {
  expect(refusal(blur, { kind: "set-scope", buffer: "P", scope: "output" })).toBe(
    refusedOn(blur, "set-scope.parameter: P cannot move from workspace to output"),
  );
});
