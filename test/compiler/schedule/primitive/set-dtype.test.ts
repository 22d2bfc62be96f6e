import { expect, test } from "vitest";
import { fromCompute, type Instruction } from "../../../../src/compiler/index.ts";
import { narrowGemm } from "../../intrinsic/tensorized-gemm.ts";
import { blur, buffersAfter, refusal, refusedOn, rowMajor, scheduled } from "../nests.ts";

const gemm = fromCompute(narrowGemm(3, 2, 2, "i8", "u8"));
const pack: Instruction = {
  kind: "cache-read",
  buffer: "A",
  loop: "C.i",
  layout: rowMajor,
};

test("bytes are widened when they are packed", () => {
  const trace = [pack, { kind: "set-dtype", buffer: "A.pack", dtype: "i16" }] as const;
  expect(scheduled(gemm, ...trace)).toMatchInlineSnapshot(`
    "for C.i in 0..3
      for A.pack.0 in 0..1
        for A.pack.1 in 0..2
          block A.pack (p0 = A.pack.0 in 0..1, p1 = A.pack.1 in 0..2)
            A.pack[p0, p1] = i16(A[C.i, A.pack.1])
      for C.j in 0..2
        for C.k in 0..2
          block C (i = C.i in 0..3, j = C.j in 0..2, reduce k = C.k in 0..2)
            C[i, j] = 0 first
            C[i, j] += i32(A.pack[0, C.k]) * i32(B[k, j])"
  `);
  expect(buffersAfter(gemm, ...trace)).toContain("workspace A.pack i16[1, 2]");
});

test("what is not converted where it is read becomes narrow again", () => {
  expect(scheduled(blur, { kind: "set-dtype", buffer: "P", dtype: "f64" })).toMatchInlineSnapshot(`
    "for P.i in 0..10
      block P (i = P.i in 0..10)
        P[i] = f64(X[i] * 2.0)
    for Q.i in 0..9
      block Q (i = Q.i in 0..9)
        Q[i] = f32(P[i]) + f32(P[i + 1])"
  `);
});

test("no such buffer", () => {
  expect(refusal(blur, { kind: "set-dtype", buffer: "Z", dtype: "f64" })).toBe(
    refusedOn(blur, "set-dtype.no-such-buffer: there is no buffer Z"),
  );
});

test("a parameter", () => {
  expect(refusal(blur, { kind: "set-dtype", buffer: "X", dtype: "f64" })).toBe(
    refusedOn(blur, "set-dtype.parameter: X is a parameter"),
  );
});

test("a type that does not hold all values", () => {
  expect(refusal(gemm, pack, { kind: "set-dtype", buffer: "A.pack", dtype: "u8" })).toMatchInlineSnapshot(`
    "set-dtype.narrower: u8 does not hold all values of i8
       for C.i in 0..3
         for A.pack.0 in 0..1
           for A.pack.1 in 0..2
             block A.pack (p0 = A.pack.0 in 0..1, p1 = A.pack.1 in 0..2)
               A.pack[p0, p1] = A[C.i, A.pack.1]
         for C.j in 0..2
           for C.k in 0..2
             block C (i = C.i in 0..3, j = C.j in 0..2, reduce k = C.k in 0..2)
               C[i, j] = 0 first
               C[i, j] += i32(A.pack[0, C.k]) * i32(B[k, j])"
  `);
});
