/** @param dist folder that gets the files */
export function buildRuntime(dist: string): Promise<void>;
