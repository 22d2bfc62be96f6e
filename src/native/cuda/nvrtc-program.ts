// NVRTC's own process: it compiles one text after another for the process that has started it. Bundled to dist/native/nvrtc.js.

import { endWithParent } from "../process/end-with-parent.ts";
import { loadNvrtc } from "./nvrtc.ts";
import type { NvrtcAnswer, NvrtcRequest } from "./nvrtc-processes.ts";

const compiler = loadNvrtc(process.argv[2]);
const isWatched = endWithParent();

process.on("message", async (request: NvrtcRequest) => {
  await isWatched;
  process.send!(await answerTo(request));
});

async function answerTo({ source, architecture }: NvrtcRequest): Promise<NvrtcAnswer> {
  try {
    const nvrtc = await compiler;
    if (!nvrtc) throw new Error(`NVRTC does not load a second time: ${process.argv[2]}`);
    return { kind: "compiled", binary: nvrtc.compile(source, architecture) };
  } catch (error) {
    return { kind: "refused", reason: (error as Error).message };
  }
}
