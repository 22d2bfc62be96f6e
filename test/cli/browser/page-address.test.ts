// Where the page of `tune --browser` and `bench --browser` is: its address, the QR code beside it on a terminal, https by a certificate of the
// user's, and what is said where the certificate is none.

import { mkdtempSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { encode } from "uqr";
import { describe, expect, test } from "vitest";
import { addressOf, announcement, qrCode } from "../../../src/cli/browser/page-address.ts";
import { servePage } from "../../../src/cli/browser/page-server.ts";
import { checkPageFlags, pageOf } from "../../../src/cli/flags/page-flags.ts";
import type { PageSite } from "../../../src/native/network/page-listener.ts";
import { certifiedPage } from "../../support/page-certificate.ts";

const terminal = { isTTY: true, columns: 80, hasColors: () => false };
const url = "http://192.168.1.5:8080/";

describe("a QR code", () => {
  /** Modules of a text of half blocks, light ones true. */
  const modules = (text: string): readonly (readonly boolean[])[] =>
    text.split("\n").flatMap((line) => {
      const letters = [...line];
      return [letters.map((it) => "█▀".includes(it)), letters.map((it) => "█▄".includes(it))];
    });

  test("is of the address", () => {
    const { data } = encode(url, { border: 2 });
    const shown = modules(qrCode(url, "192.168.1.5", terminal)!);
    expect(shown.slice(0, data.length).map((row) => row.map((isLight) => !isLight))).toEqual(data);
  });

  test("is light on dark on a terminal with colours", () => {
    const sequence = String.fromCharCode(27);
    const lines = qrCode(url, "192.168.1.5", { ...terminal, hasColors: () => true })!.split("\n");
    for (const line of lines) expect(line.startsWith(`${sequence}[97m${sequence}[40m`)).toBe(true);
  });

  test.each<[string, string | null, object]>([
    ["nobody looks", "192.168.1.5", {}],
    ["the page is for this machine alone", null, terminal],
    ["it listens on this machine alone", "127.0.0.1", terminal],
    ["it listens on localhost", "localhost", terminal],
    ["the terminal is narrow", "192.168.1.5", { ...terminal, columns: 20 }],
  ])("is not shown where %s", (_, host, stream) => expect(qrCode(url, host, stream)).toBeNull());
});

describe("what the command says", () => {
  const said = { purpose: "tune", lacks: "no WebGPU", once: false };
  const insecure =
    "on other machines it has no WebGPU: browsers give that to https and localhost alone (--cert, --key)";

  test("is the address alone, off terminals and on this machine", () => {
    expect(announcement("http://localhost:1/", { host: null, certificate: null }, said, terminal)).toBe(
      "open http://localhost:1/ in a browser to tune there; Ctrl-C ends\n",
    );
  });

  test("names what a page lacks without https, and with it nothing", () => {
    const place = { host: "192.168.1.5", certificate: null };
    expect(announcement(url, place, { ...said, once: true }, {})).toBe(
      `open ${url} in a browser to tune there\n${insecure}\n`,
    );
    const certificate = certifiedPage("192.168.1.5");
    expect(announcement(url, { ...place, certificate }, said, {})).not.toContain("WebGPU");
  });

  test("begins with the code on a terminal", () => {
    const lines = announcement(url, { host: "192.168.1.5", certificate: null }, said, terminal).split("\n");
    expect(lines[0]).toMatch(/^█+$/);
    expect(lines.at(-3)).toBe(`open ${url} in a browser to tune there; Ctrl-C ends`);
  });
});

describe("an address", () => {
  test("is one of the machine's where the page is served on all", () => {
    const own = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ internal }) => !internal));
    const { hostname } = new URL(addressOf("0.0.0.0", 80, null));
    expect(["localhost", ...own.map(({ address }) => address)]).toContain(hostname);
    expect(addressOf("fe80::1", 81, null)).toBe("http://[fe80::1]:81/");
    expect(addressOf(null, 81, null)).toBe("http://localhost:81/");
  });

  test("is one that the certificate is for, if there is any", () => {
    expect(addressOf("192.168.1.5", 443, certifiedPage("192.168.1.5"))).toBe("https://192.168.1.5:443/");
    expect(addressOf("192.168.1.5", 1, certifiedPage("*.home.arpa", "desk.home.arpa"))).toBe(
      "https://desk.home.arpa:1/",
    );
    expect(addressOf("192.168.1.5", 1, certifiedPage("10.0.0.1"))).toBe("https://192.168.1.5:1/");
    expect(addressOf("desk.home.arpa", 1, certifiedPage("desk.home.arpa"))).toBe("https://desk.home.arpa:1/");
    expect(addressOf(null, 1, certifiedPage("desk.home.arpa"))).toBe("https://localhost:1/");
  });
});

describe("https", () => {
  const site: PageSite = {
    files: new Map([["/", { type: "text/html", body: "<p>page</p>" }]]),
    posts: new Map([["/word", { mostBytes: 8, answer: (body) => Buffer.from(body).toString() }]]),
  };

  const ask = (to: string, ca: string, origin: string | null = null): Promise<readonly [number, string]> =>
    new Promise((resolve, reject) => {
      const headers = origin === null ? {} : { Origin: origin };
      const asked = request(to, { ca, method: origin === null ? "GET" : "POST", headers }, (response) => {
        let text = "";
        response.on("data", (part) => {
          text += part;
        });
        response.on("end", () => resolve([response.statusCode!, text]));
      });
      asked.on("error", reject);
      asked.end(origin === null ? "" : "word");
    });

  test("is spoken by whom the certificate is given to, and its page may send", async () => {
    const certificate = certifiedPage("localhost");
    const server = await servePage(site, { port: 0, host: null, certificate });
    try {
      expect(server.url).toMatch(/^https:\/\/localhost:\d+\/$/);
      expect(await ask(server.url, certificate.cert)).toEqual([200, "<p>page</p>"]);
      const origin = server.url.slice(0, -1);
      expect(await ask(`${server.url}word`, certificate.cert, origin)).toEqual([200, '"word"']);
      expect((await ask(`${server.url}word`, certificate.cert, origin.replace("https", "http")))[0]).toBe(403);
    } finally {
      await server.close();
    }
  });
});

describe("--cert and --key", () => {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [own, other] = [certifiedPage("localhost"), certifiedPage("localhost")];
  const [cert, key] = [write("cert.pem", own.cert), write("key.pem", own.key)];
  const otherKey = write("other.pem", other.key);
  const text = write("text.pem", "no certificate");

  test("are read", () => expect(pageOf({ browser: true, cert, key }).certificate).toEqual(own));
  test("are not needed", () => expect(pageOf({ browser: true }).certificate).toBeNull());

  test.each([
    [{ cert, key }, "--cert is for a page"],
    [{ browser: true, cert }, "--cert is given alone"],
    [{ browser: true, key }, "--key is given alone"],
    [
      { browser: true, cert: join(folder, "none.pem"), key },
      `--cert ${join(folder, "none.pem")} cannot be read: ENOENT`,
    ],
    [{ browser: true, cert: folder, key }, `--cert ${folder} cannot be read: EISDIR`],
    [
      { browser: true, cert, key: join(folder, "none.pem") },
      `--key ${join(folder, "none.pem")} cannot be read: ENOENT`,
    ],
    [{ browser: true, cert: text, key }, `--cert ${text} is no certificate in PEM`],
    [{ browser: true, cert, key: text }, `--key ${text} is no private key in PEM, or asks for a password`],
    [{ browser: true, cert, key: otherKey }, `--key ${otherKey} is not the key of --cert ${cert}`],
  ])("%j", (flags, words) => {
    const read = (): unknown => {
      checkPageFlags(flags);
      return pageOf(flags);
    };
    expect(read).toThrow(`command.bad-argument: ${words}`);
  });
});
