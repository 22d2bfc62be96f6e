// Variables that a compiler sees, by system: where it finds the programs beside it, and a place for its temporary files. Node adds to them what no
// program of Windows can do without (SystemRoot).

import { delimiter, dirname } from "node:path";

const systemFolders = process.platform === "win32" ? [] : ["/usr/bin", "/bin"];

/** @param folder private directory, for what it leaves behind */
export const compilerEnvironment = (path: string, folder: string): Readonly<Record<string, string>> => ({
  LC_ALL: "C",
  PATH: [dirname(path), ...systemFolders].join(delimiter),
  ...(process.platform === "win32" ? { TEMP: folder, TMP: folder } : { TMPDIR: folder }),
});
