/** @param dist folder of the output: the commands find their pages there */
export function buildCommandPages(dist: string): Promise<void>;
