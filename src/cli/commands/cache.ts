// Usage of `cache`.

import { remoteOptions } from "../flags/remote-flags.ts";
import type { Command } from "../project/command.ts";

export const cache: Command = {
  usage: "cache <ls|gc|export|import|push|pull|keygen|sign|trust> [file]",
  description:
    "What lies in the store; gc removes kernels that were not used for long, export, import, push and pull share decisions, keygen, sign and trust say who vouches for them",
  options: [
    { flags: "--days <count>", description: "gc: not used for this long (default: 30)" },
    { flags: "--max-size <size>", description: "gc: and then those not used for longest, until the store has no more" },
    ...remoteOptions.map(({ flags, description }) => ({ flags, description: `push, pull: ${description}` })),
    {
      flags: "--id <name>",
      description: "keygen: name of the key, with a number or year (default: the machine's name, -1)",
    },
    { flags: "--out <file>", description: "keygen: file of the private key (default: in your configuration folder)" },
    { flags: "--sign", description: "push: signed, with the project's native kernels that the store has" },
    { flags: "--lock", description: "sign: the entries of the lock, in place of a file" },
    {
      flags: "--key <file>",
      description: "sign, push: the private key (default: of UNPLUGIN_KERNEL_SIGNING_KEY, or keygen's)",
    },
    { flags: "--keyless", description: "sign: with the identity of this CI job, by package sigstore" },
    { flags: "--trust <file>", description: "trust, import, pull: JSON file with the value of option trust" },
  ],
  examples: [
    "unplugin-kernel cache ls",
    "unplugin-kernel cache gc --days 7",
    "unplugin-kernel cache gc --max-size 500MB",
    "unplugin-kernel cache export decisions.jsonl",
    "unplugin-kernel cache import decisions.jsonl",
    "unplugin-kernel cache pull --remote https://kernels.example/store",
    "unplugin-kernel cache keygen --id ci-2026",
    "unplugin-kernel cache sign --lock",
    "unplugin-kernel cache trust --trust kernels.trust.json",
  ],
  load: () => import("../actions/cache.ts"),
};
