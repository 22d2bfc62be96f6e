// A layer of a network for 32 rows: a product with constant weights, a bias, and what is below zero becomes zero.

import { withConstants } from "unplugin-kernel/op";
import { gemm } from "unplugin-kernel/ops";

export default withConstants(gemm({ M: 32, N: 1024, K: 256 }, { bias: true, activation: "relu" }), "B", "bias");
