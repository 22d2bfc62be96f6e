// Debian's WebKitGTK, driven by its own WebDriver: JavaScriptCore, the engine of Safari, on a virtual display.

import { once } from "node:events";
import { existsSync } from "node:fs";
import { asJson, type Engine, type EnginePage, type Key, type RunningEngine, waitUntil } from "./engine.ts";
import { freePort, type Running, start } from "./processes.ts";
import { driverIsThere, type WebDriver, webDriver } from "./webdriver.ts";

const executables = {
  "/usr/bin/WebKitWebDriver": "webkit2gtk-driver",
  "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser": "webkit2gtk-driver",
  "/usr/bin/Xvfb": "xvfb",
} as const;
const [driverFile, browserFile, displayFile] = Object.keys(executables) as [string, string, string];
const absent = Object.entries(executables).find(([file]) => !existsSync(file));

/** Software draws its pages, and its processes have no sandbox: root, as whom containers run, cannot have one. */
const settings = {
  WEBKIT_DISABLE_COMPOSITING_MODE: "1",
  WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
  LIBGL_ALWAYS_SOFTWARE: "1",
  // Containers have this setting: pages then see the language "C", which is none.
  LANG: "C",
} as const;

/**
 * Safari gives isolated pages SharedArrayBuffer. WebKitGTK 2.50 gives it to none unless JavaScriptCore is told to have it, then to all:
 * isolated pages are opened in a browser that has it, others in one that has not.
 */
const settingsOf = (isIsolated: boolean) => ({
  ...settings,
  ...(isIsolated && { JSC_useSharedArrayBuffer: "1" }),
});

/** Keys by their code points in the WebDriver protocol. */
const keys: Readonly<Record<Key, string>> = { Tab: "\uE004", Enter: "\uE007", Space: " ", ArrowRight: "\uE014" };

interface Session extends WebDriver {
  readonly version: string;
  end(): Promise<void>;
}

async function startDisplay(): Promise<Running & { readonly name: string }> {
  // The X server picks a display number that is free, and prints it.
  const args = ["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"];
  const display = start(displayFile, args, { stdio: ["ignore", "pipe", "ignore"] });
  const [number] = await once(display.child.stdout!, "data");
  return { ...display, name: `:${String(number).trim()}` };
}

async function startSession(display: string, isIsolated: boolean): Promise<Session> {
  const port = await freePort();
  const env = { ...process.env, ...settingsOf(isIsolated), DISPLAY: display };
  const running = start(driverFile, [`--port=${port}`], { env, stdio: "ignore" });
  try {
    const driver = webDriver(`http://127.0.0.1:${port}`);
    await driverIsThere(driver);
    const browser = { binary: browserFile, args: ["--automation"] };
    const { sessionId, capabilities } = await driver.ask<{
      readonly sessionId: string;
      readonly capabilities: { readonly browserVersion: string };
    }>("POST", "/session", { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": browser } } });
    const path = `/session/${sessionId}`;
    return {
      version: capabilities.browserVersion,
      ask: (method, rest, body) => driver.ask(method, path + rest, body),
      async end() {
        // Its browser ends with the session.
        await driver.ask("DELETE", path).catch(() => {});
        await running.end();
      },
    };
  } catch (error) {
    await running.end();
    throw error;
  }
}

/** Drives a page. Its console is heard by the script of recorder.ts, as this protocol has no events. */
function webkitPage(session: Session, handle: string, inTurn: <T>(work: () => Promise<T>) => Promise<T>): EnginePage {
  // A session has one window at a time.
  const ask = <T>(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<T> =>
    inTurn(async () => {
      await session.ask("POST", "/window", { handle });
      return session.ask<T>(method, path, body);
    });
  const evaluate = async <T>(expression: string): Promise<T> => {
    const script = `const done = arguments[arguments.length - 1];
      ${asJson(expression)}.then((json) => done({ json }), (error) => done({ why: String(error) }));`;
    const { json, why } = await ask<{ json?: string; why?: string }>("POST", "/execute/async", { script, args: [] });
    if (json === undefined) throw new Error(why);
    return JSON.parse(json);
  };
  return {
    goto: (url) => ask("POST", "/url", { url }),
    evaluate,
    waitFor: <T>(expression: string) => waitUntil(() => evaluate<T>(expression), expression),
    async press(key) {
      const actions = ["keyDown", "keyUp"].map((type) => ({ type, value: keys[key] }));
      await ask("POST", "/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
    },
    title: () => ask("GET", "/title"),
    said: () => [],
    workers: () => evaluate("globalThis.recorded?.workers() ?? []"),
    close: () => ask("DELETE", "/window"),
  };
}

/** The browser's windows, one command at a time. */
function webkitWindows(session: Session) {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  return {
    async open(): Promise<EnginePage> {
      // The first window stays open, or the browser would end with its last page.
      const { handle } = await inTurn(async () => {
        const [first] = await session.ask<readonly string[]>("GET", "/window/handles");
        await session.ask("POST", "/window", { handle: first });
        return session.ask<{ readonly handle: string }>("POST", "/window/new", { type: "window" });
      });
      return webkitPage(session, handle, inTurn);
    },
    end: () => session.end(),
  };
}

async function launch(): Promise<RunningEngine> {
  const display = await startDisplay();
  const sessions = new Map<boolean, Promise<Session>>();
  const windows = new Map<boolean, Promise<ReturnType<typeof webkitWindows>>>();
  const sessionOf = (isIsolated: boolean): Promise<Session> => {
    const session = sessions.get(isIsolated) ?? startSession(display.name, isIsolated);
    sessions.set(isIsolated, session);
    return session;
  };
  const windowsOf = (isIsolated: boolean) => {
    const opened = windows.get(isIsolated) ?? sessionOf(isIsolated).then(webkitWindows);
    windows.set(isIsolated, opened);
    return opened;
  };
  const close = async (): Promise<void> => {
    await Promise.allSettled([...sessions.values()].map(async (session) => (await session).end()));
    await display.end();
  };
  try {
    const { version } = await sessionOf(false);
    return {
      version,
      newPage: async ({ isIsolated = false } = {}) => (await windowsOf(isIsolated)).open(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export const webkit: Engine = {
  name: "WebKit",
  missing: absent ? `no ${absent[0]}: apt-get install ${absent[1]}` : null,
  launch,
};
