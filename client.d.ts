// Types of imports with `?tune=…` for programs that do not generate precise ones: one type for every operator.
//
//     /// <reference types="unplugin-kernel/client" />
//     import gemm from "./gemm.op.ts?M=64&tune=wasm";
//
// A pattern of TypeScript has one star, so the key `tune` has to come last here; the plugin takes any order.

declare module "*tune=wasm-x86" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=wasm-arm" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=wasm-x86-relaxed" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=wasm-arm-relaxed" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=wasm" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=neon" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=neon-dot" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=neon-i8mm" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=avx2" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=avx512" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=avx512-vnni" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=avx512-bf16" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=amx" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=cuda-sm80" {
  const kernel: import("unplugin-kernel/op").AnyKernel & import("unplugin-kernel/op").OnCuda;
  export default kernel;
}

declare module "*tune=cuda-sm90" {
  const kernel: import("unplugin-kernel/op").AnyKernel & import("unplugin-kernel/op").OnCuda;
  export default kernel;
}

declare module "*tune=webgpu" {
  const kernel: import("unplugin-kernel/op").AnyKernel & import("unplugin-kernel/op").OnGpu;
  export default kernel;
}

declare module "*tune=native" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}
