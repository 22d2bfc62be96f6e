// Sharpens an image of four bytes a pixel: five times each pixel, less its four neighbours. Beyond the border the last pixels are read
// again.

import { cast, compute, defineOp, type Expr, tensor } from "unplugin-kernel/op";

export default defineOp({ H: 720, W: 1280 }, ({ H, W }) => {
  const image = tensor("image", [H, W, 4], "u8");
  return compute("sharp", [H, W, 4], (y, x, c) => {
    const at = (dy: number, dx: number): Expr =>
      image(
        y
          .add(dy)
          .max(0)
          .min(H - 1),
        x
          .add(dx)
          .max(0)
          .min(W - 1),
        c,
      ).cast("i32");
    const around = at(-1, 0).add(at(1, 0)).add(at(0, -1)).add(at(0, 1));
    return cast(at(0, 0).mul(5).sub(around).max(0).min(255), "u8");
  });
});
