/** @param file where reports are to find the page without its data: dist/report-page.html */
export function buildReportPage(file: string): Promise<void>;
/** @param options of esbuild */
export function bundled(options: object): Promise<string>;
