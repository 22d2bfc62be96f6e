// Errors of the library for arguments that make no operator: at the user's line, the whole text.

import { expect, test } from "vitest";
import { build, printedError } from "../../support/op-file.ts";

const says = (call: string): Promise<string> =>
  printedError(() => build(`import * as ops from "unplugin-kernel/ops";\n\nexport default ops.${call};\n`));

test("what the library says to wrong arguments", async () => {
  const calls = [
    "groupConv2d({ H: 8, W: 8, C: 10, F: 8, groups: 4 })",
    "groupConv2d({ H: 8, W: 8, C: 8, F: 10, groups: 4 })",
    "conv2d({ H: 2, W: 8, C: 4, F: 8 })",
    "conv2d({ H: 8, W: 8, C: 4, F: 8, stride: 0 })",
    "conv2d({ H: 8, W: 8, C: 4, F: 8, stride: 1.5 })",
    "conv1d({ W: 8, C: 4, F: 8, K: 0 })",
    "conv3d({ D: 1, H: 8, W: 8, C: 4, F: 8 })",
    "dilatedConv2d({ H: 8, W: 8, C: 4, F: 8, dilation: 5 })",
    "transposedConv2d({ H: 2, W: 2, C: 4, F: 8, padding: 3 })",
    'gemm({ M: 4, N: 4, K: 4, dtype: "u8", dtypeB: "f32" })',
    'gemm({ M: 4, N: 4, K: 4, dtype: "float" })',
    'gemm({ M: 4, N: 4, K: 4, dtype: "i8" }, { activation: "gelu" })',
    'softmax({ M: 4, N: 4, dtype: "i32" })',
    'mean({ M: 4, N: 4, dtype: "i8" })',
    "scan({ M: 4, N: 0 })",
    'scan({ M: 4, N: 4, dtype: "bool" })',
    'attention({ M: 4, N: 4, D: 4, dtype: "i8" })',
    'foldBatchNorm({ C: 4, dtype: "i32" })',
    'gemm({ M: 4, N: 4, K: 4, dtyp: "i8" })',
    "gemm({ M: 4, N: 4 })",
    'gemm({ M: 4, N: "8", K: 4 })',
    "gemm(4, 4, 4)",
    "gemm({ M: 4, N: 4, K: 4 }, { biass: true })",
    'gemm({ M: 4, N: 4, K: 4 }, { activation: "swish" })',
    "transposedConv2d({ H: 8, W: 8, C: 4, F: 8, dilation: 2 })",
    "depthwiseConv2d({ H: 8, W: 8, C: 4, F: 8 })",
    'layerNorm({ M: 4, N: 4, epsilon: "small" })',
  ];
  const texts = [];
  for (const call of calls) texts.push(await says(call));
  await expect(texts.join("\n\n")).toMatchFileSnapshot("./wrong-arguments.expect.txt");
});
