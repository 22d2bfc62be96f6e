// Option `remote` and the environment → where the store is, how it is spoken to, and what a build may do there.

import type { Environment } from "./ci-job.ts";
import { accessTo, type RemoteAccess, splitUrl, tokenVariable, withoutEndSlashes } from "./credentials.ts";

export const remoteProtocols = ["http", "s3", "turborepo"] as const;
export type RemoteProtocol = (typeof remoteProtocols)[number];
export const remoteModes = ["read-only", "read-write", "off"] as const;
export type RemoteMode = (typeof remoteModes)[number];

/** The option as an object; `url` may be left out where `TURBO_API` has it. */
export interface RemoteOption {
  url?: string;
  protocol?: RemoteProtocol;
  mode?: RemoteMode;
  namespace?: string;
}

/** What S3 requests are signed with; null: they are not. */
export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

export type RemoteServer =
  | { readonly protocol: "http"; readonly access: RemoteAccess }
  | { readonly protocol: "s3"; readonly region: string; readonly keys: S3Keys | null }
  /** @param team query that names the team: "teamId=…", "slug=…" or nothing */
  | { readonly protocol: "turborepo"; readonly access: RemoteAccess; readonly team: string };

/** A remote store that may be asked. It holds secrets: it is not to be printed. */
export interface ResolvedRemote {
  /** URL by http or https, without credentials and without a slash at its end. */
  readonly url: string;
  readonly namespace: string | null;
  readonly server: RemoteServer;
  /** Whether a build that tuned puts its decision there. */
  readonly isWritten: boolean;
  /** Why `cache push` must not write there; null: nothing is known against it. */
  readonly whyNotPushed: string | null;
}

export const remoteWanted =
  'an http, https or s3 URL, or { url, protocol: "http", "s3", "turborepo", mode: "read-only", "read-write", "off", namespace } (credentials in the URL: for "http" alone)';

const optionKeys: readonly string[] = ["url", "protocol", "mode", "namespace"];
const isOneOf = (values: readonly string[], value: unknown): boolean =>
  value === undefined || (typeof value === "string" && values.includes(value));
/** Folders, without "." and "..". */
const isNamespace = (value: unknown): boolean =>
  value === undefined || (typeof value === "string" && /^(?!\.)[\w.-]+(\/(?!\.)[\w.-]+)*$/.test(value));

/** Says whether the option is right. */
export function isRemoteOption(value: unknown): value is string | RemoteOption {
  if (typeof value === "string") return isRemoteOption({ url: value });
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { url, protocol, mode, namespace } = value as RemoteOption;
  if (!Object.keys(value).every((key) => optionKeys.includes(key))) return false;
  if (!isOneOf(remoteProtocols, protocol) || !isOneOf(remoteModes, mode) || !isNamespace(namespace)) return false;
  return url === undefined ? protocol === "turborepo" : isUrlFor(url, protocol);
}

/** The bucket becomes a part of a host's name. */
const isBucket = (name: string): boolean => /^[a-z\d]([\w.-]*[a-z\d])?$/i.test(name);

/** Says whether a text of the environment is the URL of a server. */
const isServer = (given: string | undefined): given is string =>
  given !== undefined && URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);

function isUrlFor(given: unknown, protocol: RemoteProtocol | undefined): boolean {
  if (typeof given !== "string" || !URL.canParse(given)) return false;
  const { protocol: scheme, hostname, username, password, search, hash } = new URL(given);
  if (search !== "" || hash !== "") return false;
  if (scheme === "s3:") return (protocol ?? "s3") === "s3" && username === "" && password === "" && isBucket(hostname);
  if (scheme !== "http:" && scheme !== "https:") return false;
  // S3 and Turborepo have their credentials in the environment.
  return (protocol ?? "http") === "http" || (username === "" && password === "");
}

/** Resolves a right option, before it is asked which job runs the build (`allowed-remote.ts`); null: there is no store to ask. */
export function resolveRemote(
  option: string | RemoteOption | undefined,
  environment: Environment,
): ResolvedRemote | null {
  const {
    url,
    protocol,
    mode = "read-only",
    namespace = null,
  } = typeof option === "string" ? { url: option } : (option ?? {});
  const { TURBO_API } = environment;
  const given = url ?? (protocol === "turborepo" && isServer(TURBO_API) ? TURBO_API : undefined);
  if (mode === "off" || !given || !URL.canParse(given)) return null;
  const common = { namespace, isWritten: mode === "read-write", whyNotPushed: null };
  if (protocol === "turborepo") return { ...common, ...turborepoAt(given, environment) };
  if (protocol === "s3" || new URL(given).protocol === "s3:") return { ...common, ...s3At(given, environment) };
  return { ...common, ...httpAt(given, environment) };
}

type Place = Pick<ResolvedRemote, "url" | "server">;

const bearer = (token: string | undefined): string | null => (token ? `Bearer ${token}` : null);

function httpAt(given: string, environment: Environment): Place {
  const { url, basic } = splitUrl(given);
  const access =
    basic === null
      ? accessTo(url, bearer(environment[tokenVariable]), tokenVariable, environment)
      : accessTo(url, basic, "the user in its URL", environment);
  return { url, server: { protocol: "http", access } };
}

function turborepoAt(given: string, environment: Environment): Place {
  const { url } = splitUrl(given);
  const { TURBO_TOKEN, TURBO_TEAMID, TURBO_TEAM } = environment;
  const team = TURBO_TEAMID ? { teamId: TURBO_TEAMID } : TURBO_TEAM ? { slug: TURBO_TEAM } : {};
  const access = accessTo(url, bearer(TURBO_TOKEN), "TURBO_TOKEN", environment);
  return { url, server: { protocol: "turborepo", access, team: String(new URLSearchParams(team)) } };
}

/** `s3://bucket/folder` is at the endpoint that the environment names, else at Amazon's; an http URL is the bucket's own. */
function s3At(given: string, environment: Environment): Place {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION } = environment;
  const region = [AWS_REGION, AWS_DEFAULT_REGION].find((name) => /^[a-z\d-]+$/i.test(name ?? "")) ?? "us-east-1";
  const keys =
    AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY
      ? {
          accessKeyId: AWS_ACCESS_KEY_ID,
          secretAccessKey: AWS_SECRET_ACCESS_KEY,
          sessionToken: AWS_SESSION_TOKEN || null,
        }
      : null;
  return { url: s3Url(given, region, environment), server: { protocol: "s3", region, keys } };
}

function s3Url(given: string, region: string, environment: Environment): string {
  const clean = splitUrl(given).url;
  if (!clean.startsWith("s3:")) return clean;
  const { hostname: bucket, pathname } = new URL(clean);
  const endpoint = environment.AWS_ENDPOINT_URL_S3 || environment.AWS_ENDPOINT_URL;
  if (isServer(endpoint)) return withoutEndSlashes(`${splitUrl(endpoint).url}/${bucket}${pathname}`);
  return withoutEndSlashes(`https://${bucket}.s3.${region}.amazonaws.com${pathname}`);
}
