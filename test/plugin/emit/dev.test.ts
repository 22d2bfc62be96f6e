// Dev server with a predicted kernel: the tuning behind it, edits while it lasts, and whether modules are loaded again.
// No page and no bundler; test/browser/dev.test.ts has both.

import { describe, expect, it } from "vitest";
import { createDevServer, type DevServerHost } from "../../../src/plugin/emit/dev.ts";
import type { CompileKernel } from "../../../src/plugin/kernel/compile-services.ts";
import type { CompiledKernel } from "../../../src/plugin/kernel/compiled-kernel.ts";
import { parseRequest } from "../../../src/plugin/request/request.ts";
import { createSession } from "../../../src/plugin/session/session.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeKernel } from "../../support/fake-kernel.ts";

const request = parseRequest("/app/gemm.op.ts?tune=wasm")!;
const predicted = fakeKernel({ origin: "predicted", trace: "guess", watchFiles: ["/app/gemm.op.ts", "/app/sizes.ts"] });

/** A server that answers, whose tunings end when the test says so. */
function startServer() {
  const tunings: ((kernel: CompiledKernel) => void)[] = [];
  const compile: CompileKernel = () => new Promise((resolve) => void tunings.push(resolve));
  const session = createSession({ mode: "tune", logLevel: "silent" }, compile);
  session.configure("/app", { info: () => undefined, warn: () => undefined });
  // Another process would tune for a server that is attached; here the session does.
  session.tuneInBackground = () => undefined;
  const reloaded: object[] = [];
  const module = {};
  const host: DevServerHost = {
    config: { base: "/", server: {} },
    environments: {
      client: {
        moduleGraph: { getModuleById: () => module, invalidateModule: () => undefined },
        reloadModule: async (it) => void reloaded.push(it),
      },
    },
    middlewares: { use: () => undefined },
  };
  const dev = createDevServer(session);
  dev.attach(host);
  dev.improve(request, predicted, undefined);
  const begun = (count: number) => eventually(() => expect(tunings).toHaveLength(count));
  const finish = (at: number, kernel: CompiledKernel): void => tunings[at]!(kernel);
  return { dev, reloaded, begun, finish, tunings };
}

const tuned = (trace: string): CompiledKernel => ({ ...predicted, origin: "tuned", trace });

describe("a tuning behind a prediction", () => {
  it("that finds another schedule has the module loaded again", async () => {
    const { dev, reloaded, begun, finish } = startServer();
    await begun(1);
    expect(dev.improved(request)).toBeUndefined();
    finish(0, tuned("measured"));
    await eventually(() => expect(dev.improved(request)?.trace).toBe("measured"));
    expect(reloaded).toHaveLength(1);
  });

  it("that finds the predicted schedule leaves the module as it is", async () => {
    const { dev, reloaded, begun, finish } = startServer();
    await begun(1);
    finish(0, tuned("guess"));
    await eventually(() => expect(dev.improved(request)?.origin).toBe("tuned"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(reloaded).toEqual([]);
  });

  it("starts anew where its sources are edited meanwhile, and the first result is nobody's", async () => {
    const { dev, reloaded, begun, finish } = startServer();
    await begun(1);
    dev.changed("/app/sizes.ts");
    finish(0, tuned("of the old sources"));
    await begun(2);
    expect(dev.improved(request)).toBeUndefined();
    expect(reloaded).toEqual([]);
    finish(1, tuned("of the new ones"));
    await eventually(() => expect(dev.improved(request)?.trace).toBe("of the new ones"));
  });

  it("goes on where another file is edited", async () => {
    const { dev, begun, finish, tunings } = startServer();
    await begun(1);
    dev.changed("/app/other.ts");
    finish(0, tuned("measured"));
    await eventually(() => expect(dev.improved(request)?.trace).toBe("measured"));
    expect(tunings).toHaveLength(1);
  });

  it("is forgotten where its sources are edited after it", async () => {
    const { dev, begun, finish } = startServer();
    await begun(1);
    finish(0, tuned("measured"));
    await eventually(() => expect(dev.improved(request)).toBeDefined());
    dev.changed("/app/gemm.op.ts");
    expect(dev.improved(request)).toBeUndefined();
  });
});
