// Words of docs/peers.md on the libraries: their versions, and the kernels that they chose for the CPU.

import type { WorkResult } from "./result.ts";

/** Versions of Debian 12. Their sources are of 2022, whatever the CPU. */
const debian12: Readonly<Record<string, string>> = {
  OpenBLAS: "0.3.21+ds-4",
  BLIS: "0.9.0-1",
  oneDNN: "2.6.3-1",
  LIBXSMM: "1.17-2",
  XNNPACK: "0.0~git20220216.ae108ef-2",
};

/** @param results of one CPU */
export function librariesText(results: readonly WorkResult[]): string {
  const rivals = results.flatMap((result) => result.rivals.filter(({ version }) => version !== ""));
  const names = [...new Set(rivals.map(({ name }) => name))];
  const each = names.map((name) => {
    const own = rivals.filter((rival) => rival.name === name);
    const versions = [...new Set(own.map(({ version }) => version))].join(" and ");
    const chosen = [...new Set(own.flatMap((rival) => rival.chosen ?? []))].join("; ");
    return `${name} ${versions}${chosen === "" ? "" : ` (${chosen})`}`;
  });
  const old = Object.keys(debian12).filter((name) =>
    rivals.some((rival) => rival.name === name && rival.version === debian12[name]),
  );
  const mute = rivals.filter(({ name, chosen }) => old.includes(name) && chosen === undefined);
  return [
    `Libraries: ${each.join(", ")}.`,
    ...(old.length > 0
      ? [
          `${old.join(", ")} are Debian 12's, of 2022: on a CPU that is newer than they are they may choose kernels for an older one, and be slower than today's versions.`,
        ]
      : []),
    ...(mute.length > 0
      ? [
          `Which kernels they chose on this CPU is not recorded in ${mute.length} of their ${rivals.filter(({ name }) => old.includes(name)).length} times.`,
        ]
      : []),
  ].join(" ");
}
