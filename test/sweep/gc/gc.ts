// `cache gc` beside three writers and three readers, on 12,000 decisions and 1,200 kernels, with 256 files that it may open; then as another
// user, who may not read the files (root alone can ask for it). No decision may be lost, and a reader sees a hit or a miss.
//
//     npm run test:gc -- --decisions 12000 --seconds 30

import { join } from "node:path";
import { parseArgs } from "node:util";
import { npmRun, recordRun } from "../../support/record-run.js";
import { gcBesideUsers } from "./gc-beside-users.ts";
import { userScript } from "./user-script.ts";

const { values } = parseArgs({
  options: { decisions: { type: "string", default: "12000" }, seconds: { type: "string", default: "30" } },
});
const isRoot = process.getuid?.() === 0;
const script = await userScript();
const results: string[] = [];
let isRight = true;
for (const asOther of isRoot ? [false, true] : [false]) {
  const outcome = await gcBesideUsers({
    script,
    cli: join(process.cwd(), "dist/cli.js"),
    decisions: Number(values.decisions),
    milliseconds: Number(values.seconds) * 1000,
    mostFiles: 256,
    asOther,
  });
  const { collections, removed, unreadable, hits, misses, put, lost, errors } = outcome;
  for (const error of errors.slice(0, 10)) console.error(error);
  isRight &&= lost === 0 && errors.length === 0 && collections > 0;
  results.push(
    `${asOther ? "as another user" : "as the same user"}: ${collections} collections, ${removed} removed, ${unreadable} unreadable, ${hits} hits, ${misses} misses, ${put} put, ${lost} lost, ${errors.length} errors`,
  );
  console.log(results.at(-1));
}
if (!isRoot) results.push("not tried as another user: only root can");
recordRun(npmRun("test:gc"), `${isRight ? "passed" : "failed"}: ${results.join("; ")}`);
process.exitCode = isRight ? 0 : 1;
