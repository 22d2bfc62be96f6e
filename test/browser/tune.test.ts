// `tune --browser` as people use it: browsers open the page, several at once, and the lock holds what was measured in each for its classes. A
// page that lies, sends nonsense or goes away leaves nothing behind. Times are not judged.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { writeProject } from "../cli/project.ts";
import { launchBrowser, noBrowser } from "../support/browser.ts";
import { chromiumPage } from "../support/engine/chromium.ts";
import type { RunningEngine } from "../support/engine/engine.ts";
import { firefox } from "../support/engine/firefox.ts";
import { webkit } from "../support/engine/webkit.ts";
import { eventually } from "../support/eventually.ts";
import { inTurn } from "../support/long.ts";
import { certifiedPage } from "../support/page-certificate.ts";
import { killServed, serve } from "../support/served-command.ts";

const turn = inTurn(5);

const project = (): string =>
  writeProject({
    "src/gemm.op.ts": `import { gemm } from "unplugin-kernel/ops";
export default gemm({ M: 32, N: 40, K: 48 });
`,
    "src/main.ts": `import gpu from "./gemm.op.ts?tune=webgpu";
import wasm from "./gemm.op.ts?tune=wasm";
import native from "./gemm.op.ts?tune=avx2";
console.log(gpu, wasm, native);
`,
  });

const lockOf = (
  root: string,
): Readonly<Record<string, { readonly measured: { readonly toolchain: string } | null }>> => {
  const file = join(root, "kernels.lock.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).kernels : {};
};

const targetsIn = (root: string): readonly string[] =>
  Object.keys(lockOf(root))
    .map((name) => /tune=([\w-]+)/.exec(name)![1]!)
    .sort();

const engines: RunningEngine[] = [];

async function chromium(...flags: readonly string[]): Promise<RunningEngine> {
  const browser = await launchBrowser(["--enable-unsafe-webgpu", ...flags]);
  const engine = {
    version: browser.version(),
    newPage: async () => chromiumPage(await browser.newPage()),
    close: () => browser.close(),
  };
  engines.push(engine);
  return engine;
}

afterEach(async () => {
  killServed();
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

const doneText = `/^Done: (\\d+) of (\\d+)/.exec(document.querySelector("[role=status]")?.textContent ?? "")?.[0]`;

/** Opens the page and waits until it says that all is measured. */
async function visit(engine: RunningEngine, url: string): Promise<string> {
  const page = await engine.newPage();
  await page.goto(url);
  return page.waitFor<string>(doneText);
}

const trials = ["--trials", "4"];
const without = [noBrowser, firefox.missing, webkit.missing].filter((why) => why !== null);

turn.skipIf(without.length > 0)(
  `Chromium, Firefox and WebKit are measured at once, each for its classes${without.map((why) => ` (${why})`).join("")}`,
  async () => {
    const root = project();
    const { url, output } = await serve(root, "tune", "--browser", ...trials);
    const others = await Promise.all([firefox, webkit].map(({ launch }) => launch()));
    engines.push(...others);
    const all = [await chromium(), ...others];
    const said = await Promise.all(all.map((engine) => visit(engine, url)));
    expect(said[0]).toBe("Done: 2 of 2");
    expect(said.slice(1)).toEqual([expect.stringMatching(/^Done: [12] of/), expect.stringMatching(/^Done: [12] of/)]);
    // WebKitGTK has no relaxed SIMD: its class is that of its processors alone.
    expect(targetsIn(root)).toEqual(["wasm-x86", "wasm-x86-relaxed", "webgpu-software-subgroups"]);
    await eventually(() => expect(output().match(/webgpu-software-subgroups/g)?.length ?? 0).toBeGreaterThan(0));
    expect(Object.values(lockOf(root)).map(({ measured }) => measured?.toolchain)).toEqual([
      expect.stringMatching(/, in Version\//),
      expect.stringMatching(/, in (HeadlessChrome|Firefox)\//),
      expect.stringMatching(/, in HeadlessChrome\/[\d.]+ on google swiftshader$/),
    ]);
  },
);

describe.skipIf(noBrowser !== null)(`in Chromium${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  turn("--once ends with the first visit, as JSON", async () => {
    const root = project();
    const { url, output, ended } = await serve(root, "tune", "--browser", "--once", "--json", ...trials);
    await visit(await chromium(), url);
    expect(await ended).toBe(0);
    const { browser, kernels } = JSON.parse(output());
    expect(browser).toMatchObject({
      engine: "x86-relaxed",
      gpu: { vendor: "google", isSoftware: true, subgroupLanes: 4 },
    });
    expect(kernels.map(({ target, origin, error }: Record<string, unknown>) => [target, origin, error])).toEqual([
      ["wasm-x86-relaxed", "tuned", null],
      ["webgpu-software-subgroups", "tuned", null],
    ]);
    const again = await serve(root, "tune", "--browser", "--once", "--json");
    await visit(await chromium(), again.url);
    await again.ended;
    expect(JSON.parse(again.output()).kernels.map(({ origin }: { origin: string }) => origin)).toEqual([
      "lock",
      "lock",
    ]);
  });

  describe("by another name than this machine has for itself, as on a phone", () => {
    const name = "desk.home.arpa";
    const phone = (): Promise<RunningEngine> =>
      chromium(`--host-resolver-rules=MAP ${name} 127.0.0.1`, "--ignore-certificate-errors");
    const flags = ["--browser", "--once", "--host", "127.0.0.1", ...trials];
    const namedIn = (url: string): string => url.replace("127.0.0.1", name);

    turn("a page of plain http has no WebGPU, and page and command say why", async () => {
      const { url, output, ended } = await serve(project(), "tune", ...flags);
      const page = await (await phone()).newPage();
      await page.goto(namedIn(url));
      expect(await page.waitFor<string>('document.querySelector(".insecure")?.textContent')).toContain(
        "--cert and --key",
      );
      expect(await page.waitFor<string>(doneText)).toBe("Done: 1 of 1");
      expect(await ended).toBe(0);
      expect(output()).toContain(", without WebGPU: its page is neither of https nor of localhost (--cert, --key)\n");
    });

    turn("one of https has", async () => {
      const root = project();
      const { cert, key } = certifiedPage(name);
      const paths = [join(root, "cert.pem"), join(root, "key.pem")] as const;
      writeFileSync(paths[0], cert);
      writeFileSync(paths[1], key);
      const { url, output, ended } = await serve(
        root,
        "tune",
        ...flags,
        "--json",
        "--cert",
        paths[0],
        "--key",
        paths[1],
      );
      expect(url).toMatch(/^https:/);
      const page = await (await phone()).newPage();
      await page.goto(namedIn(url));
      expect(await page.waitFor<string>(doneText)).toBe("Done: 2 of 2");
      expect(await ended).toBe(0);
      expect(JSON.parse(output()).browser).toMatchObject({ isSecure: true, gpu: { vendor: "google" } });
      expect(await page.waitFor<boolean>('document.querySelector(".insecure") === null')).toBe(true);
    });
  });

  turn("a page that goes away leaves no entry, and another visit goes on", async () => {
    const root = project();
    const { url } = await serve(root, "tune", "--browser", "--trials", "200", "--seconds", "60");
    const leaving = await (await chromium()).newPage();
    await leaving.goto(url);
    await leaving.waitFor('/[1-9]/.test(document.querySelector("[role=status]").nextSibling.textContent)');
    await leaving.close();
    expect(targetsIn(root)).toEqual([]);
  });
});

describe("what is no page of ours", () => {
  const post = (url: string, path: string, body: string | Uint8Array, origin = url.replace(/\/$/, "")) =>
    fetch(new URL(path, url), { method: "POST", body: body as string, headers: { origin } });
  const facts = JSON.stringify({
    userAgent: "a liar",
    isSecure: true,
    engine: null,
    gpu: { vendor: "apple", name: "apple metal-3", isSoftware: false, subgroupLanes: 0 },
  });

  function answer(visit: number, job: number, head: object, outputs = new Uint8Array(0)): Uint8Array {
    const text = new TextEncoder().encode(JSON.stringify(head));
    const words = new Uint8Array(new Uint32Array([visit, job, text.length]).buffer);
    return Buffer.concat([words, text, outputs]);
  }

  test("is refused with a reason", async () => {
    const { url } = await serve(project(), "tune", "--browser", ...trials);
    const statusOf = async (path: string, body: string | Uint8Array, origin?: string): Promise<number> =>
      (await post(url, path, body, origin)).status;
    expect(await statusOf("visit", facts, "http://elsewhere.example")).toBe(403);
    expect(await statusOf("visit", "{")).toBe(400);
    expect(await statusOf("visit", JSON.stringify({ userAgent: "x" }))).toBe(400);
    expect(await statusOf("next", JSON.stringify({ visit: 7 }))).toBe(400);
    expect(await statusOf("answer", new Uint8Array(5))).toBe(400);
    expect(await statusOf("answer", answer(7, 0, { ns: [1] }))).toBe(400);
    expect(await statusOf("visit", " ".repeat(10_000))).toBe(413);
  });

  test("gets nothing into the lock by wrong outputs, no outputs, or times that are none", async () => {
    const root = project();
    const { url, output } = await serve(root, "tune", "--browser", "--trials", "4");
    const { visit } = await (await post(url, "visit", facts)).json();
    const lies = [
      (id: number) => answer(visit, id, { ns: [1000] }, new Uint8Array(32 * 40 * 4)),
      (id: number) => answer(visit, id, { ns: [1000] }),
      (id: number) => answer(visit, id, { failed: "no" }),
      (id: number) => answer(visit, id, { ns: [] }),
    ];
    for (let at = 0; at < 60; at++) {
      const next = await (await post(url, "next", JSON.stringify({ visit }))).json();
      if (next.kind === "done") break;
      if (next.kind !== "run") continue;
      const { status } = await post(url, "answer", answer(visit, next.id, { ns: [-1] }));
      expect(status).toBe(400);
      await post(url, "answer", lies[at % lies.length]!(next.id));
    }
    await eventually(() => expect(output()).toMatch(/webgpu-apple/));
    expect(targetsIn(root)).toEqual([]);
  });
});
