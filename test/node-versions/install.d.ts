/** The executable in the folder; or why there is none. */
export function install(version: string, folder: string): { readonly path?: string; readonly reason?: string };
