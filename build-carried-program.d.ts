/** @param dist folder that gets the files */
export function buildCarriedProgram(dist: string): Promise<void>;
