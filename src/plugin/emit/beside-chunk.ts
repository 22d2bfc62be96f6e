// Addresses of a server bundle's files, from the chunk that names them.

/**
 * Folder of a server bundle for files of kernels. Frameworks publish the assets of their server bundles (SvelteKit copies the whole folder,
 * React Router what the manifest names), and no page has a use for an addon.
 */
export const serverFolder = "kernels";

/** URL relative to the chunk, in either module format. */
export const besideChunk = (relativePath: string, format: string): string =>
  format === "es"
    ? `new URL(${JSON.stringify(relativePath)}, import.meta.url).href`
    : `process.getBuiltinModule("node:url").pathToFileURL(__dirname + ${JSON.stringify(`/${relativePath}`)}).href`;
