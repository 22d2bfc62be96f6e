// Types that the families of intrinsics are written in. A family is a list of intrinsics in one file beside this one;
// `intrinsics.ts` has them all.

export type { Intrinsic } from "../ir/intrinsic.ts";
export type * from "../ir/intrinsic-text.ts";
