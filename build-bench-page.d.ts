/** @param folder where the command is to find the page: dist/bench-page */
export function buildBenchPage(folder: string): Promise<void>;
