/** The executable in the folder; or why there is none. `platform`: another one than this, "linux-arm64". */
export function install(
  version: string,
  folder: string,
  platform?: string,
): { readonly path?: string; readonly reason?: string };
