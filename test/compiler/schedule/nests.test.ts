// The nests as they are printed, once: what diagnostics say of them is compared with this text.

import { expect, test } from "vitest";
import { printStmt } from "../../../src/compiler/index.ts";
import {
  blur,
  epilogue,
  gemm,
  gemmMapGemm,
  padded,
  productByRow,
  refusedOn,
  repeat,
  residual,
  scattered,
  twoGemms,
  twoResults,
  windows,
} from "./nests.ts";

const all = {
  gemm: gemm(),
  blur,
  repeat,
  twoGemms,
  productByRow,
  windows,
  padded,
  scattered,
  epilogue,
  gemmMapGemm,
  residual,
  twoResults,
};

test("all of them", () => {
  expect(
    Object.entries(all)
      .map(([name, { body }]) => `${name}\n${printStmt(body)}\n`)
      .join("\n"),
  ).toMatchInlineSnapshot(`
    "gemm
    for C.i in 0..6
      for C.j in 0..7
        for C.k in 0..5
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]

    blur
    for P.i in 0..10
      block P (i = P.i in 0..10)
        P[i] = X[i] * 2.0
    for Q.i in 0..9
      block Q (i = Q.i in 0..9)
        Q[i] = P[i] + P[i + 1]

    repeat
    for P.i in 0..5
      block P (i = P.i in 0..5)
        P[i] = X[i] * 2.0
    for Q.i in 0..9
      block Q (i = Q.i in 0..9)
        Q[i] = P[i // 2]

    twoGemms
    for C.i in 0..5
      for C.j in 0..4
        for C.k in 0..3
          block C (i = C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]
    for D.i in 0..5
      for D.l in 0..6
        for D.n in 0..4
          block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
            D[i, l] = 0.0 first
            D[i, l] += C[i, n] * E[n, l]

    productByRow
    for D.i in 0..5
      for C.i in 0..1
        for C.j in 0..4
          for C.k in 0..3
            block C (i = D.i + C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
              C[C.i, C.j] = 0.0 first
              C[C.i, C.j] += A[i, k] * B[k, j]
      for D.l in 0..6
        for D.n in 0..4
          block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
            D[i, l] = 0.0 first
            D[i, l] += C[0, D.n] * E[n, l]

    windows
    for P.y in 0..11
      for P.x in 0..8
        block P (y = P.y in 0..11, x = P.x in 0..8)
          P[y, x] = X[y, x] * 2.0
    for Q.y in 0..5
      for Q.x in 0..7
        for Q.r in 0..3
          for Q.s in 0..2
            block Q (y = Q.y in 0..5, x = Q.x in 0..7, reduce r = Q.r in 0..3, reduce s = Q.s in 0..2)
              Q[y, x] = 0.0 first
              Q[y, x] += P[y * 2 + r, x + s]

    padded
    for y.i in 0..7
      for y.r in 0..3
        block y (i = y.i in 0..7, reduce r = y.r in 0..3)
          y[i] = 0.0 first
          y[i] += select(i + r - 1 >= 0 && i + r - 1 < 7, x[i + r - 1], 0.0) * w[r]

    scattered
    for P.i in 0..5
      block P (i = P.i in 0..5)
        P[i] = X[i] * 3.0
    for Q.i in 0..5
      block Q (i = Q.i in 0..5)
        Q[i] = P[i * i % 5]

    epilogue
    for C.i in 0..6
      for C.j in 0..5
        for C.k in 0..4
          block C (i = C.i in 0..6, j = C.j in 0..5, reduce k = C.k in 0..4)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]
    for D.i in 0..6
      for D.j in 0..5
        block D (i = D.i in 0..6, j = D.j in 0..5)
          D[i, j] = max(C[i, j] + b[j], 0.0)

    gemmMapGemm
    for C.i in 0..5
      for C.j in 0..4
        for C.k in 0..3
          block C (i = C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]
    for D.i in 0..5
      for D.j in 0..4
        block D (i = D.i in 0..5, j = D.j in 0..4)
          D[i, j] = C[i, j] * 2.0
    for F.i in 0..5
      for F.l in 0..6
        for F.n in 0..4
          block F (i = F.i in 0..5, l = F.l in 0..6, reduce n = F.n in 0..4)
            F[i, l] = 0.0 first
            F[i, l] += D[i, n] * E[n, l]

    residual
    for P.i in 0..7
      block P (i = P.i in 0..7)
        P[i] = X[i] * 2.0
    for Q.i in 0..7
      block Q (i = Q.i in 0..7)
        Q[i] = X[i] * 3.0
    for R.i in 0..7
      block R (i = R.i in 0..7)
        R[i] = P[i] + Q[i]
    for S.i in 0..7
      block S (i = S.i in 0..7)
        S[i] = R[i] + Q[i]

    twoResults
    for P.i in 0..6
      block P (i = P.i in 0..6)
        P[i] = X[i] * 2.0
    for Q.i in 0..6
      block Q (i = Q.i in 0..6)
        Q[i] = P[i] + 1.0
    "
  `);
});

test("a refusal", () => {
  expect(refusedOn(blur, "split.no-such-loop: there is no loop C", ["P.i"], "look for it")).toMatchInlineSnapshot(`
    "split.no-such-loop: there is no loop C
     ▶ for P.i in 0..10
         block P (i = P.i in 0..10)
           P[i] = X[i] * 2.0
       for Q.i in 0..9
         block Q (i = Q.i in 0..9)
           Q[i] = P[i] + P[i + 1]
      hint: look for it"
  `);
});
