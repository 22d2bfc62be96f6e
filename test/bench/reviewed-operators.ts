// Operators as people write them beside the library's: what a review of the package was done with. Chains of stages, stencils
// on bytes, cancellation, tables, tensors read twice, values used again and again.

import { authoring, type Op } from "../../src/compiler/index.ts";

const { cast, compute, defineOp, exp, log, max, reduceAxis, select, sum, tensor } = authoring;

type Index = authoring.Expr<"i32">;
const f32 = (name: string, ...shape: number[]) => tensor(name, shape, "f32");
const op = (body: () => authoring.Tensor): Op => defineOp({}, body);

const stencil = op(() => {
  const X = f32("X", 512, 512);
  return compute("Y", [512, 512], (i, j) => {
    const [up, down] = [i.sub(1).max(0), i.add(1).min(511)];
    const [left, right] = [j.sub(1).max(0), j.add(1).min(511)];
    return X(i, j).mul(-4).add(X(up, j)).add(X(down, j)).add(X(i, left)).add(X(i, right));
  });
});

/** Two stages of clamped taps. */
const blur = op(() => {
  const X = tensor("X", [512, 512], "u8");
  const rows = compute("rows", [512, 512], (i, j) => {
    const tap = (by: number) => cast(X(i, j.add(by).max(0).min(511)), "i32");
    return tap(-2).add(tap(-1).mul(4)).add(tap(0).mul(6)).add(tap(1).mul(4)).add(tap(2));
  });
  return compute("Y", [512, 512], (i, j) => {
    const tap = (by: number) => rows(i.add(by).max(0).min(511), j);
    const total = tap(-2).add(tap(-1).mul(4)).add(tap(0).mul(6)).add(tap(1).mul(4)).add(tap(2));
    return cast(total.floorDiv(256), "u8");
  });
});

const grayscale = op(() => {
  const X = tensor("X", [512, 512, 3], "u8");
  const channel = (i: Index, j: Index, c: number) => cast(X(i, j, c), "f32");
  return compute("Y", [512, 512], (i, j) =>
    channel(i, j, 0)
      .mul(0.299)
      .add(channel(i, j, 1).mul(0.587))
      .add(channel(i, j, 2).mul(0.114))
      .div(255)
      .sub(0.45)
      .div(0.22),
  );
});

const complexProduct = op(() => {
  const [A, B] = [f32("A", 65536, 2), f32("B", 65536, 2)];
  return compute("Y", [65536, 2], (i, c) =>
    select(
      c.eq(0),
      A(i, 0)
        .mul(B(i, 0))
        .sub(A(i, 1).mul(B(i, 1))),
      A(i, 0)
        .mul(B(i, 1))
        .add(A(i, 1).mul(B(i, 0))),
    ),
  );
});

const cosines = op(() => {
  const [X, q, k, l] = [f32("X", 4096, 128), f32("q", 128), reduceAxis("k", 128), reduceAxis("l", 128)];
  const norm = compute("norm", [4096], (i) => sum(X(i, l).mul(X(i, l)), l).sqrt());
  return compute("Y", [4096], (i) => sum(X(i, k).mul(q(k)), k).div(norm(i)));
});

const inverse = op(() => {
  const A = f32("A", 4096, 3, 3);
  const cofactors = compute("cofactors", [4096, 3, 3], (n, i, j) => {
    const at = (a: number, b: number) => A(n, i.add(a).mod(3), j.add(b).mod(3));
    return at(1, 1)
      .mul(at(2, 2))
      .sub(at(1, 2).mul(at(2, 1)));
  });
  const determinant = compute("determinant", [4096], (n) => {
    const term = (j: number) => A(n, 0, j).mul(cofactors(n, 0, j));
    return term(0).add(term(1)).add(term(2));
  });
  return compute("Y", [4096, 3, 3], (n, i, j) => cofactors(n, j, i).div(determinant(n)));
});

const rotary = op(() => {
  const [X, C, S] = [f32("X", 512, 8, 64), f32("C", 512, 32), f32("S", 512, 32)];
  return compute("Y", [512, 8, 64], (t, h, d) => {
    const [half, isFirst] = [d.mod(32), d.lt(32)];
    const turned = select(isFirst, X(t, h, d.add(32).min(63)).neg(), X(t, h, d.sub(32).max(0)));
    return X(t, h, d)
      .mul(C(t, half))
      .add(turned.mul(S(t, half)));
  });
});

const histogram = op(() => {
  const [X, k] = [tensor("X", [16384], "u8"), reduceAxis("k", 16384)];
  return compute("Y", [256], (bin) => sum(select(cast(X(k), "i32").eq(bin), cast(1, "i32"), cast(0, "i32")), k));
});

const crossEntropy = op(() => {
  const [X, T] = [f32("X", 512, 1000), tensor("T", [512], "i32")];
  const [k, l] = [reduceAxis("k", 1000), reduceAxis("l", 1000)];
  const top = compute("top", [512], (i) => max(X(i, k), k));
  const total = compute("total", [512], (i) => sum(exp(X(i, l).sub(top(i))), l));
  return compute("Y", [512], (i) =>
    log(total(i))
      .add(top(i))
      .sub(X(i, T(i).max(0).min(999))),
  );
});

const gather = op(() => {
  const [X, T] = [f32("X", 1000, 64), tensor("T", [512], "i32")];
  return compute("Y", [512, 64], (i, j) => X(T(i).max(0).min(999), j));
});

const mandelbrot = op(() => {
  const [R, I] = [f32("R", 256), f32("I", 256)];
  const map = (name: string, body: Parameters<typeof compute>[2]) => compute(name, [256, 256], body);
  let [x, y, n] = [map("x0", (_i, j) => R(j).add(0)), map("y0", (i) => I(i).add(0)), map("n0", (_i, j) => R(j).mul(0))];
  for (let step = 1; step <= 8; step++) {
    const [a, b, c] = [x, y, n];
    if (step < 8) {
      x = map(`x${step}`, (i, j) =>
        a(i, j)
          .mul(a(i, j))
          .sub(b(i, j).mul(b(i, j)))
          .add(R(j))
          .min(1e3)
          .max(-1e3),
      );
      y = map(`y${step}`, (i, j) => a(i, j).mul(b(i, j)).mul(2).add(I(i)).min(1e3).max(-1e3));
    }
    const isInside = (i: Index, j: Index) =>
      a(i, j)
        .mul(a(i, j))
        .add(b(i, j).mul(b(i, j)))
        .lt(4);
    n = map(`n${step}`, (i, j) => c(i, j).add(select(isInside(i, j), cast(1, "f32"), cast(0, "f32"))));
  }
  return n;
});

const gram = op(() => {
  const [X, k] = [f32("X", 64, 64), reduceAxis("k", 64)];
  return compute("G", [64, 64], (i, j) => sum(X(k, i).mul(X(k, j)), k));
});

const variance = op(() => {
  const [X, k, l] = [f32("X", 64, 64), reduceAxis("k", 64), reduceAxis("l", 64)];
  const mean = compute("mean", [64], (c) => sum(X(k, c), k).div(64));
  return compute("Y", [64], (c) => {
    const difference = X(l, c).sub(mean(c));
    return sum(difference.mul(difference), l).div(64);
  });
});

const complexMatrices = op(() => {
  const [A, B, k] = [f32("A", 64, 64, 2), f32("B", 2, 64, 64), reduceAxis("k", 64)];
  return compute("Y", [64, 64], (i, j) =>
    sum(
      A(i, k, 0)
        .mul(B(0, k, j))
        .sub(A(i, k, 1).mul(B(1, k, j))),
      k,
    ),
  );
});

const scaled = op(() => {
  const [A, B, s, k] = [f32("A", 64, 64), f32("B", 64, 64), f32("s"), reduceAxis("k", 64)];
  return compute("C", [64, 64], (i, j) => sum(A(i, k).mul(B(k, j)).mul(s()), k));
});

const projections = defineOp({}, () => {
  const [X, W, k] = [f32("X", 128, 64), f32("W", 64, 3, 64), reduceAxis("k", 64)];
  const part = (name: string, at: number) => compute(name, [128, 64], (t, c) => sum(X(t, k).mul(W(k, at, c)), k));
  return { Q: part("Q", 0), K: part("K", 1), V: part("V", 2) };
});

const transposed = op(() => {
  const [A, B, k] = [f32("A", 256, 100), f32("B", 256, 64), reduceAxis("k", 256)];
  return compute("C", [100, 64], (i, j) => sum(A(k, i).mul(B(k, j)), k));
});

const newton = op(() => {
  const X = f32("X", 4096);
  return compute("Y", [4096], (i) => {
    let y = X(i);
    for (let step = 0; step < 20; step++) y = y.add(X(i).div(y)).div(2);
    return y;
  });
});

const square = op(() => {
  const X = f32("X", 262144);
  return compute("Y", [262144], (i) => X(i).pow(2));
});

export const reviewed: Readonly<Record<string, Op>> = {
  stencil,
  blur,
  grayscale,
  "product of complex numbers": complexProduct,
  cosines,
  "inverse of 3×3": inverse,
  "rotary embedding": rotary,
  histogram,
  "cross entropy": crossEntropy,
  gather,
  mandelbrot,
  Xᵀ·X: gram,
  variance,
  "product of complex matrices": complexMatrices,
  "product and a scalar": scaled,
  "three projections": projections,
  Aᵀ·B: transposed,
  "20 steps of Newton": newton,
  square,
};
