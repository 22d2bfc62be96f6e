// Requests that the server of `bench --browser` answers or refuses, and mistakes on its command line. No browser is
// needed.

import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run as bench } from "../../../../src/cli/actions/bench.ts";
import { decodeMeasured } from "../../../../src/cli/bench/browser/decode-measured.ts";
import { type PageKernel, pageKernel } from "../../../../src/cli/bench/browser/page-kernel.ts";
import type { Plan } from "../../../../src/cli/bench/browser/visit.ts";
import { type PageServer, servePage } from "../../../../src/cli/browser/page-server.ts";
import { openProject } from "../../../../src/cli/project/project.ts";
import { BadBody, type PageSite } from "../../../../src/native/network/page-listener.ts";
import { kernelsOf } from "../../../../src/plugin/declarations/find-imports.ts";
import { noAddon } from "../../../support/fake-kernel.ts";
import { gemm, runCli, writeProject } from "../../project.ts";

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface Asked {
  readonly method?: string;
  /** `fetch` lets neither Host nor Origin through. */
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const ask = (url: string, { method = "GET", headers = {}, body = "" }: Asked = {}): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    asked.on("error", reject);
    asked.end(body);
  });

const heard: string[] = [];

const site: PageSite = {
  files: new Map([["/", { type: "text/html; charset=utf-8", body: "<p>page</p>" }]]),
  posts: new Map([
    [
      "/word",
      {
        mostBytes: 8,
        answer(body: Uint8Array) {
          const word = Buffer.from(body).toString("utf8");
          if (word === "bad") throw new BadBody("no such word");
          if (word === "bug") throw new Error("a bug of ours");
          return { word };
        },
        answered: (answer: unknown) => void heard.push(JSON.stringify(answer)),
      },
    ],
  ]),
};

describe("the server of a page", () => {
  let server: PageServer;
  let origin: string;
  beforeAll(async () => {
    server = await servePage(site, { port: 0, host: null, certificate: null });
    origin = server.url.slice(0, -1);
  });
  afterAll(() => server.close());

  const post = (body: string, headers: Record<string, string> = { Origin: origin }): Promise<Reply> =>
    ask(`${server.url}word`, { method: "POST", headers, body });

  test("a page that runs and asks nothing but what is its own, and may have threads", async () => {
    const { status, headers, text } = await ask(server.url);
    expect([status, text]).toEqual([200, "<p>page</p>"]);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    });
    const policy = String(headers["content-security-policy"]).split("; ");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(
      policy.filter((rule) => /unsafe-(inline|eval)'|\*|https?:/.test(rule.replace("'wasm-unsafe-eval'", ""))),
    ).toEqual([]);
  });

  test("it is there under names of this machine alone", async () => {
    const { port } = new URL(server.url);
    const statusFor = async (Host: string) => (await ask(server.url, { headers: { Host } })).status;
    expect(await statusFor(`127.0.0.1:${port}`)).toBe(200);
    expect(await statusFor(`[::1]:${port}`)).toBe(200);
    expect(await statusFor(`kernels.example:${port}`)).toBe(403);
    expect(await statusFor("localhost.example")).toBe(403);
    expect(await statusFor("a b")).toBe(403);
  });

  test("with --host it is there under any name", async () => {
    const open = await servePage(site, { port: 0, host: "127.0.0.1", certificate: null });
    expect(open.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    expect((await ask(open.url, { headers: { Host: "kernels.example" } })).status).toBe(200);
    await open.close();
  });

  test("what its page sends is answered", async () => {
    expect(await post("word")).toMatchObject({ status: 200, text: '{"word":"word"}' });
    expect(heard).toEqual(['{"word":"word"}']);
  });

  test("what other pages send is not, nor what is bad or too long", async () => {
    expect((await post("word", {})).status).toBe(403);
    expect((await post("word", { Origin: "http://kernels.example" })).status).toBe(403);
    expect(await post("bad")).toMatchObject({ status: 400, text: "no such word\n" });
    expect((await post("nine byte")).status).toBe(413);
    await expect(post("bug")).rejects.toThrow("socket hang up");
    expect(heard).toHaveLength(1);
  });

  test("other paths and methods", async () => {
    expect((await ask(`${server.url}other`)).status).toBe(404);
    expect((await ask(`${server.url}%2e%2e/package.json`)).status).toBe(404);
    expect((await ask(`${server.url}word`)).status).toBe(405);
    expect((await ask(server.url, { method: "DELETE" })).status).toBe(405);
  });

  test("an address that cannot be had", async () => {
    const { port } = new URL(server.url);
    await expect(servePage(site, { port: Number(port), host: null, certificate: null })).rejects.toThrow(
      `bench.cannot-serve: no page can be served on localhost, port ${port}: listen EADDRINUSE`,
    );
    await expect(servePage(site, { port: 0, host: "203.0.113.77", certificate: null })).rejects.toThrow(
      /^bench\.cannot-serve: .*203\.0\.113\.77/,
    );
  });
});

describe("what a page has measured", () => {
  const planned = {
    ...({ origin: "lock", flops: 2, tensors: [], constants: [], threads: 1, hasTwins: true } as const),
    twins: [
      { name: "wasm", why: null },
      { name: "reference", why: null },
    ] as const,
  };
  const plan: Plan = {
    project: "app",
    seconds: 1,
    kernels: [
      { kernel: "a.op.ts?tune=wasm", error: null, bench: planned },
      { kernel: "b.op.ts?tune=wasm", error: "op.syntax: …", bench: null },
    ],
  };
  const row = {
    name: "wasm",
    isBound: true,
    why: null,
    isRight: true,
    times: { medianNs: 3, p20Ns: 2, p80Ns: 4, samples: 9 },
  };
  const browser = { userAgent: "Test/1", cores: 4, hasSharedMemory: true, hasRelaxedSimd: false, clockStepMs: 0.1 };
  const measured = { browser, kernels: [[row, { ...row, name: "reference" }], []] };

  test("is taken as it is", () => expect(decodeMeasured(measured, plan)).toEqual(measured));

  test.each([
    ["nothing", null, "the value must be"],
    [
      "letters that a terminal obeys",
      { ...measured, browser: { ...browser, userAgent: "\u001b[2J" } },
      "browser.userAgent must be",
    ],
    ["a row too few", { ...measured, kernels: [[row], []] }, "kernels must be those of the page"],
    ["a kernel too many", { ...measured, kernels: [...measured.kernels, []] }, "kernels must be those of the page"],
    [
      "a time that is none",
      { ...measured, kernels: [[{ ...row, times: { ...row.times, medianNs: null } }], []] },
      "medianNs must be",
    ],
    ["more than that", { ...measured, more: 1 }, "more must be absent"],
  ])("not %s", (_, value, why) => expect(() => decodeMeasured(value, plan)).toThrow(why));
});

describe("the command line", () => {
  test.each([
    [{ once: true }, "--once is for a page"],
    [{ port: 80 }, "--port is for a page"],
    [{ host: "localhost" }, "--host is for a page"],
    [{ browser: true, port: 65_536 }, '--port is "65536"'],
    [{ browser: true, port: "http" }, '--port is "http"'],
    [{ browser: true, peer: "by-hand.mjs" }, "peers run in Node, not in a page"],
  ])("bench with %j", async (flags, words) => {
    const project = openProject({ root: writeProject({}) }, "silent");
    await expect(bench(project, [], flags)).rejects.toThrow(`command.bad-argument: ${words}`);
  });

  test("a project without kernels has no page", () => {
    const root = writeProject({ "src/main.ts": "console.log(1);\n" });
    const { exitCode, errors } = runCli(root, "bench", "--browser", "--once");
    expect(exitCode).toBe(1);
    expect(errors).toContain("command.no-imports: no imports of kernels found in");
  });
});

describe("what a page is given of a kernel", () => {
  const given = async (query: string): Promise<PageKernel> => {
    const root = writeProject({
      "src/gemm.op.ts": gemm,
      "src/main.ts": `import a from "./gemm.op.ts?${query}";\nconsole.log(a);\n`,
    });
    const project = openProject({ root }, "silent");
    const [request] = kernelsOf(await project.imports());
    return pageKernel(project, request!, 3);
  };
  const paths = ({ files }: PageKernel): readonly string[] =>
    [...files.keys()].map((path) => path.replace("/kernels/3/", ""));

  test("a module for each twin, and one with all", async () => {
    const kernel = await given("tune=wasm");
    expect(kernel.planned).toMatchObject({
      kernel: "src/gemm.op.ts?tune=wasm",
      bench: { origin: "predicted", hasTwins: true, threads: 1 },
    });
    const modules = ["wasm-relaxed.js", "wasm.js", "reference.js", "bound.js"];
    const workers = expect.stringMatching(/^kernel-worker-\w+\.js$/);
    expect(paths(kernel)).toEqual([workers, ...modules, "tensors/A", "tensors/B", "tensors/C"]);
    const check = kernel.posts.get("/kernels/3/check")!;
    expect(check.mostBytes).toBe(16 * 16 * 4);
    const sentinel = kernel.files.get("/kernels/3/tensors/C")!.body as Uint8Array;
    expect(check.answer(sentinel)).toEqual({ why: expect.stringMatching(/^C\[0, 0\] is not written/) });
    expect(() => check.answer(sentinel.subarray(4))).toThrow("1024 bytes of outputs are expected");
  });

  test.skipIf(noAddon)(`the loops alone where no page may have it${noAddon ? ` (${noAddon})` : ""}`, async () => {
    const kernel = await given("tune=avx2&fallback=none");
    expect(kernel.planned.bench).toMatchObject({
      hasTwins: false,
      twins: [
        { name: "wasm", why: "the import says fallback=none: pages get no twin" },
        { name: "reference", why: null },
      ],
    });
    expect(paths(kernel)).toEqual(["reference.js", "tensors/A", "tensors/B", "tensors/C"]);
  });

  test("why there is none", async () => {
    const kernel = await given("tune=wasm&Q=3");
    expect(kernel.planned).toMatchObject({ bench: null, error: expect.stringMatching(/^request\.unknown-key: /) });
    expect([...kernel.files, ...kernel.posts]).toEqual([]);
  });
});
