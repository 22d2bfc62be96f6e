// A worker process with simulated measuring: node worker-process.js <url> <label> <id> <log> <lock ms> [key]. It is killed by the
// candidates that say so. Bundled by `workerScript`.

import { runWorker } from "../../../src/plugin/fleet/run-worker.ts";
import { fakeClass, logTo, simulatedOpener } from "./simulated.ts";

const [url = "", label = "", id = "", log = "", lockMs = "1000", key = ""] = process.argv.slice(2);
const of = fakeClass(label);
const closing = new AbortController();
process.on("SIGTERM", () => closing.abort());
await runWorker({
  url,
  key: key || null,
  id,
  cores: 2,
  of,
  open: simulatedOpener({ die: () => process.kill(process.pid, "SIGKILL"), onMeasured: logTo(log, id, of) }),
  signal: closing.signal,
  lockMs: Number(lockMs),
});
