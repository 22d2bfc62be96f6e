// Filters of images as users write them: blurs in two passes, slopes, arithmetic of bytes in i32. Their peers are the same loops in C and in JavaScript.

import { authoring, type Op } from "../../../../src/compiler/index.ts";
import { type SuiteName, type Work, worksOf } from "../work.ts";

const { cast, compute, defineOp, reduceAxis, sum, tensor } = authoring;
type Expr = authoring.Expr<"f32"> | authoring.Expr<"i32">;

const op = (body: () => authoring.Tensor): Op => defineOp({}, body);
const bytes = (name: string, ...shape: number[]) => tensor(name, shape, "u8");

/** The binomial filter of five taps. */
const five = <T extends Expr>(tap: (at: number) => T): T =>
  tap(0).add(tap(1).mul(4)).add(tap(2).mul(6)).add(tap(3).mul(4)).add(tap(4)) as T;

const blur = (H: number, W: number): Op =>
  op(() => {
    const image = tensor("image", [H + 4, W + 4], "f32");
    const rows = compute("rows", [H + 4, W], (y, x) => five((at) => image(y, x.add(at))));
    return compute("out", [H, W], (y, x) => five((at) => rows(y.add(at), x)).mul(1 / 256));
  });

const blurBytes = (H: number, W: number): Op =>
  op(() => {
    const image = bytes("image", H + 4, W + 4, 3);
    const rows = compute("rows", [H + 4, W, 3], (y, x, c) => five((at) => cast(image(y, x.add(at), c), "i32")));
    return compute("out", [H, W, 3], (y, x, c) =>
      cast(
        five((at) => rows(y.add(at), x, c))
          .add(128)
          .floorDiv(256),
        "u8",
      ),
    );
  });

const gray = (H: number, W: number): Op =>
  op(() => {
    const image = bytes("image", H, W, 3);
    return compute("out", [H, W], (y, x) => {
      const [r, g, b] = [0, 1, 2].map((c) => cast(image(y, x, c), "i32"));
      return cast(r!.mul(77).add(g!.mul(150)).add(b!.mul(29)).floorDiv(256), "u8");
    });
  });

const mix = (H: number, W: number): Op =>
  op(() => {
    const [front, back, alpha] = [bytes("front", H, W), bytes("back", H, W), bytes("alpha", H, W)];
    return compute("out", [H, W], (y, x) => {
      const [f, b, a] = [front, back, alpha].map((image) => cast(image(y, x), "i32"));
      return cast(
        f!
          .mul(a!)
          .add(b!.mul(a!.neg().add(255)))
          .add(127)
          .floorDiv(255),
        "u8",
      );
    });
  });

const slopes = (H: number, W: number): Op =>
  op(() => {
    const image = bytes("image", H + 2, W + 2);
    return compute("out", [H, W], (y, x) => {
      const at = (dy: number, dx: number) => cast(image(y.add(dy), x.add(dx)), "i32");
      const [column, row] = [
        (dx: number) => at(0, dx).add(at(1, dx).mul(2)).add(at(2, dx)),
        (dy: number) => at(dy, 0).add(at(dy, 1).mul(2)).add(at(dy, 2)),
      ];
      const [across, down] = [column(2).sub(column(0)), row(2).sub(row(0))];
      return cast(across.abs().add(down.abs()).min(255), "u8");
    });
  });

const frames = (H: number, W: number, count: number): Op =>
  op(() => {
    const image = bytes("image", count, H, W);
    const k = reduceAxis("k", count);
    return compute("out", [H, W], (y, x) => cast(sum(cast(image(k, y, x), "i32"), k).floorDiv(count), "u8"));
  });

const work = worksOf("filters");

const works: readonly Work[] = [
  work("blur 5×5 512×512", blur(512, 512), "blur-f32", 512, 512),
  work("blur 5×5 of RGB bytes 256×256", blurBytes(256, 256), "blur-u8", 256, 256),
  work("gray of RGB bytes 512×512", gray(512, 512), "gray-u8", 512, 512),
  work("mix of bytes 512×512", mix(512, 512), "mix-u8", 512, 512),
  work("slopes of bytes 512×512", slopes(512, 512), "slopes-u8", 512, 512),
  work("mean of 8 frames 256×256", frames(256, 256, 8), "frames-u8", 256, 256, 8),
];

export const filterWorks: Readonly<Partial<Record<SuiteName, readonly Work[]>>> = { filters: works };
