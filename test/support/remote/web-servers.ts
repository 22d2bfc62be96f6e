// nginx and Apache with the configurations of docs/remote.md: everybody reads, a user writes.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configurationOf, folderOf, freePort, type SharedServer, startProgram, writeUsers } from "./server.ts";

const nginxProgram = "/usr/sbin/nginx";
const apacheProgram = "/usr/sbin/apache2";
export const noNginx = existsSync(nginxProgram) ? null : "not here: apt-get install nginx-light";
export const noApache = existsSync(apacheProgram) ? null : "not here: apt-get install apache2";

export interface WebServer extends SharedServer {
  /** The store without credentials. */
  readonly url: string;
  /** Folder of its files. */
  readonly files: string;
}

/** The user that may write. */
const user = "writer";
const password = "s3cret:with@signs/";

const served = (port: number, folder: string, close: () => Promise<void>): WebServer => {
  const url = `http://127.0.0.1:${port}`;
  const withUser = new URL(url);
  withUser.username = user;
  withUser.password = password;
  return { url, files: join(folder, "files"), remote: { url: withUser.href }, environment: {}, close };
};

export async function startNginx(): Promise<WebServer> {
  const folder = folderOf("files", "temporary");
  const port = await freePort();
  writeUsers(join(folder, "users"), { [user]: password });
  const server = configurationOf("nginx", {
    "listen 8080;": `listen 127.0.0.1:${port};`,
    "/srv/kernels": join(folder, "files"),
    "/etc/nginx/kernels.htpasswd": join(folder, "users"),
  });
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, "temporary", name)};`,
  );
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `daemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary.join("\n")}\n${server}}\n`,
  );
  const close = await startProgram({
    command: nginxProgram,
    args: ["-p", folder, "-e", "stderr", "-c", file],
    port,
    folder,
  });
  return served(port, folder, close);
}

const modules = ["mpm_event", "authz_core", "authn_core", "authn_file", "authz_user", "auth_basic", "dav", "dav_fs"];

export async function startApache(): Promise<WebServer> {
  const folder = folderOf("files");
  const port = await freePort();
  writeUsers(join(folder, "users"), { [user]: password });
  const server = configurationOf("apache", {
    "/srv/kernels": join(folder, "files"),
    "/var/lib/apache2/kernels-locks": join(folder, "locks"),
    "/etc/apache2/kernels.htpasswd": join(folder, "users"),
  });
  const loaded = modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`);
  const file = join(folder, "apache.conf");
  writeFileSync(
    file,
    [
      ...loaded,
      `ServerRoot ${folder}`,
      "ServerName localhost",
      `Listen 127.0.0.1:${port}`,
      `PidFile ${folder}/pid`,
      `DefaultRuntimeDir ${folder}`,
      `ErrorLog ${folder}/errors`,
      server,
    ].join("\n"),
  );
  const close = await startProgram({ command: apacheProgram, args: ["-f", file, "-DFOREGROUND"], port, folder });
  return served(port, folder, close);
}
