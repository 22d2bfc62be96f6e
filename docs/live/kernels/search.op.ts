// Similarity of a query to each of 20,000 documents: products of unit vectors of 384 numbers, the cosines of their
// angles.

import { gemv } from "unplugin-kernel/ops";

export default gemv({ M: 20_000, K: 384 });
