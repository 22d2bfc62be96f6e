// Every operator of the library, with variants that have an epilogue: what tests, the oracle chain and the table in
// docs/operators.md go through.

import { convolutions } from "./convolutions.ts";
import type { LibraryOperator } from "./library-operator.ts";
import { products } from "./products.ts";
import { rowsPoolsAndMaps } from "./rows.ts";

export const library: readonly LibraryOperator[] = [...products, ...convolutions, ...rowsPoolsAndMaps];
