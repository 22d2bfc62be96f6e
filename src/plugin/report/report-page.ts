// The data of a report → one HTML page that needs nothing else. What draws it, page/, is bundled when the package is built.

import { readFileSync } from "node:fs";
import { packageFile } from "../../native/machine/package-file.ts";
import type { ReportData } from "./report-data.ts";

/** Path of the page without its data, as build.js makes it. */
const templateFile = "dist/report-page.html";
/** Text of the template that the data replaces. */
const placeholder = "{{data}}";

export function reportPage(data: ReportData): string {
  const [head, tail] = readFileSync(packageFile(templateFile), "utf8").split(placeholder);
  return `${head}${jsonInHtml(data)}${tail}`;
}

/** JSON that may stand in HTML: a `<` would begin a tag, or end the element that holds the data. */
const jsonInHtml = (data: ReportData): string => JSON.stringify(data).replaceAll("<", "\\u003c");
