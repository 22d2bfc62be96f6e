// Type of an element → its bytes.

import { byteSize } from "../expr/dtype.ts";
import type { IrType } from "./loop-ir.ts";

export const bytesOfElement = (dtype: IrType): number => (dtype === "i64" ? 8 : byteSize[dtype]);
