// Flags that name a remote store → the plugin's option `remote`.

import type { RemoteOption } from "../../plugin/options/types.ts";
import type { CommandOption, Flags } from "../project/command.ts";

export const remoteOptions: readonly CommandOption[] = [
  { flags: "--remote <url>", description: "a store that others share, asked before anything is measured" },
  { flags: "--protocol <name>", description: "of the store: http (default), s3 or turborepo" },
  { flags: "--namespace <path>", description: "of the store: folders of your own within it" },
];

/** Returns the option, to be checked like the plugin's; undefined: no flag names a store. */
export function remoteOf({ remote, protocol, namespace }: Flags): string | RemoteOption | undefined {
  if (protocol === undefined && namespace === undefined) return remote === undefined ? undefined : String(remote);
  const given = Object.entries({ url: remote, protocol, namespace }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
