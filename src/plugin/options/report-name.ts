// The file that a report is written to.

/** Default name of that file, in the root of the project. */
export const reportName = "unplugin-kernel-report.html";
