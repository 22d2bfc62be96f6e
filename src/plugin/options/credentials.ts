// Credentials of a remote store: from its URL or the environment → the header that is sent, and the words for a server that refuses it.
// They are printed nowhere.

import type { Environment } from "./ci-job.ts";

/** Environment variable that has the bearer token. */
export const tokenVariable = "UNPLUGIN_KERNEL_REMOTE_TOKEN";
/** Environment variable by which somebody says that credentials may be sent over plain http. */
export const insecureVariable = "UNPLUGIN_KERNEL_REMOTE_INSECURE";

export interface RemoteAccess {
  /** Header `authorization`; null: none is sent. */
  readonly authorization: string | null;
  /** Whether there are credentials that plain http would show to everybody on the way. */
  readonly isWithheld: boolean;
  /** Where they come from, or would come from, in words: never what they are. */
  readonly source: string;
}

/** Takes out of a value of option `remote`, right or wrong, all that may be a user or a password. */
export function withoutCredentials(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/^([a-z\d+.-]+:\/\/)?.*@/is, "$1");
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutCredentials(part)]));
}

/** Text of a part of a URL; one that is wrongly encoded stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);

const isYes = (value: string | undefined): boolean => value !== undefined && !["", "0", "false"].includes(value);

/** Cuts off the slashes that a text ends with. The pattern for it takes the square of a run of slashes that is not at the end. */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

/** Splits a URL into itself without credentials and the header that they make; null: it has none. */
export function splitUrl(given: string): { readonly url: string; readonly basic: string | null } {
  const url = new URL(given);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const clean = withoutEndSlashes(url.href);
  if (username === "" && password === "") return { url: clean, basic: null };
  const user = `${decoded(username)}:${decoded(password)}`;
  return { url: clean, basic: `Basic ${Buffer.from(user, "utf8").toString("base64")}` };
}

/** Access to a store by a header, which plain http gets on the loopback alone unless somebody said otherwise. */
export function accessTo(
  url: string,
  authorization: string | null,
  source: string,
  environment: Environment,
): RemoteAccess {
  const to = new URL(url);
  const isSafe = to.protocol === "https:" || isLoopback(to) || isYes(environment[insecureVariable]);
  const isWithheld = authorization !== null && !isSafe;
  return { authorization: isWithheld ? null : authorization, isWithheld, source };
}

/** Says in words of its own that a server answers 401 or 403. */
export function denialText(
  { authorization, isWithheld, source }: RemoteAccess,
  status: number,
  doing: "read" | "written",
): string {
  const refusal = `the remote store refuses to be ${doing} (${status})`;
  if (isWithheld) {
    return `${refusal}: ${source} was not sent, because plain http would show it to everybody on the way; use https, or set ${insecureVariable}=1`;
  }
  if (authorization === null) return `${refusal}: the token is missing; set ${source}`;
  return status === 403 ? `${refusal}: ${source} has no right to it` : `${refusal}: it does not accept ${source}`;
}
