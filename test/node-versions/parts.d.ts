export const engineFiles: readonly string[];
export function partsOf(
  root: string,
  wanted: readonly string[],
): readonly { readonly name: string; readonly files: readonly string[] }[];
