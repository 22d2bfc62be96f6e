// An operator file that makes its process fail as a bug of ours would: when the first candidate of its kernel is recorded, a
// TypeError is thrown that no file system throws. Other kernels are told from it by their extents.

export const sabotageText = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { gemm } from "unplugin-kernel/ops";
const { writeSync } = fs;
fs.writeSync = (file, bytes, ...rest) => {
  if (String(bytes).includes('"extents":{"C.i":13,')) throw new TypeError("planted");
  return writeSync(file, bytes, ...rest);
};
syncBuiltinESMExports();
export default gemm({ M: 13, N: 16, K: 16 });
`;
