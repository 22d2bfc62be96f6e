// A module that stands for any kernel, for an entry of "imports" in package.json: TypeScript looks for types there before it takes the
// declarations of a pattern, and an import that is declared by its whole name has those.
//
//     "#op/*": { "types": "unplugin-kernel/kernel", "default": "./src/kernels/*" }

declare const kernel: import("unplugin-kernel/op").AnyKernel;
export default kernel;
