// The user's configuration folder of a case: the secret that binds the store to the user, and the private key.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildCase } from "./dimensions.ts";
import { foreignKey, secrets } from "./project.ts";
import { drawnLine } from "./signing-keys.ts";

const folderOf = (root: string): string => join(root, "home/.config/unplugin-kernel");
const secretOf = (root: string): string => join(folderOf(root), "store.key");
const signingOf = (root: string): string => join(folderOf(root), "signing.key");

function layFile(path: string, content: string | Buffer | undefined, isFolder: boolean): void {
  if (isFolder) mkdirSync(path);
  else if (content !== undefined) writeFileSync(path, content, { mode: 0o600 });
}

const ownSecret = Buffer.from(secrets.storeKey, "hex");

const secretFiles: { readonly [secret in BuildCase["secret"]]?: Buffer } = {
  "of a file": ownSecret,
  another: Buffer.from(foreignKey, "hex"),
  unreadable: ownSecret,
  "of wrong size": ownSecret.subarray(1),
  "of a file for all": ownSecret,
};

const keyFiles: { readonly [signing in BuildCase["signing"]]?: string } = {
  "of a file": `${drawnLine}\n`,
  "of a broken file": drawnLine.slice(0, -9),
  "of a file for all": `${drawnLine}\n`,
};

const inItsPlace = "a folder in its place";

export function layConfiguration(root: string, { secret, signing }: BuildCase): void {
  if (secret === "cannot be made") return;
  mkdirSync(folderOf(root), { recursive: true });
  layFile(secretOf(root), secretFiles[secret], secret === inItsPlace);
  layFile(signingOf(root), keyFiles[signing], signing === inItsPlace);
}

/** Takes away or gives the rights that a case wants, once all is the building user's. */
export function setConfigurationRights(root: string, { secret, signing }: BuildCase): void {
  if (secret === "unreadable") chmodSync(secretOf(root), 0);
  if (secret === "of a file for all") chmodSync(secretOf(root), 0o644);
  if (secret === "cannot be made") chmodSync(join(root, "home"), 0o555);
  else if (signing === "of a file for all") chmodSync(signingOf(root), 0o644);
}

/** Whether all builds of a case have one secret: otherwise the store of one is nothing to the next. */
export const hasLastingSecret = ({ secret }: BuildCase): boolean =>
  !["unreadable", inItsPlace, "cannot be made"].includes(secret);

/** Whether what the store of a case has is of the builds' own user, by the secret that its entries are sealed with. Nobody signs what others decided. */
export function isOwnStore({ store, secret }: BuildCase): boolean {
  if (store === "empty") return true;
  return store === "of another key" ? secret === "another" : ["in the environment", "of a file"].includes(secret);
}

/** Whether builds of a case have a private key that can sign. */
export const canSign = ({ signing, secret }: BuildCase): boolean =>
  signing === "in the environment" ||
  signing === "with another key" ||
  (signing === "of a file" && secret !== "cannot be made");
