// Servers from npm that test/tools installs: turborepo-remote-cache with files on the disk, and s3rver, which knows keys, looks
// at no signature, and ignores If-None-Match.

import { join } from "node:path";
import { folderOf, freePort, type SharedServer, startProgram, toolsFolder } from "./server.ts";

/** @param signatureKey key that the server has for signatures; null: it has none */
export async function startTurborepo(signatureKey: string | null): Promise<SharedServer> {
  const folder = folderOf("files");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const close = await startProgram({
    command: process.execPath,
    args: [join(toolsFolder, "turborepo-remote-cache/dist/cli.js")],
    port,
    folder,
    env: {
      HOST: "127.0.0.1",
      PORT: String(port),
      TURBO_TOKEN: "turbo-secret",
      STORAGE_PROVIDER: "local",
      STORAGE_PATH: join(folder, "files"),
      STORAGE_PATH_USE_TMP_FOLDER: "false",
      ...(signatureKey !== null && { TURBO_REMOTE_CACHE_SIGNATURE_KEY: signatureKey }),
    },
  });
  return {
    remote: { protocol: "turborepo" },
    environment: { TURBO_API: url, TURBO_TOKEN: "turbo-secret", TURBO_TEAM: "kernels" },
    close,
  };
}

export async function startS3rver(): Promise<SharedServer> {
  const folder = folderOf("files");
  const port = await freePort();
  const close = await startProgram({
    command: process.execPath,
    args: [
      join(toolsFolder, "s3rver/bin/s3rver.js"),
      ...["-d", join(folder, "files"), "-a", "127.0.0.1", "-p", String(port), "--configure-bucket", "kernels"],
    ],
    port,
    folder,
  });
  return {
    remote: { url: "s3://kernels/store" },
    environment: {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
    },
    close,
  };
}
