// The folder of the user's own settings, outside of every project and every cache: secrets lie there.

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Returns the folder of this package's settings; null: the user has no home. */
export function configurationFolder(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string | null {
  const folder = settingsFolder(environment, platform);
  return folder && join(folder, "unplugin-kernel");
}

function settingsFolder(
  { APPDATA, XDG_CONFIG_HOME }: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string | null {
  if (platform === "win32" && APPDATA) return APPDATA;
  // A relative path would make the working directory, a checkout for instance, the place of a secret.
  if (platform !== "win32" && XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME)) return XDG_CONFIG_HOME;
  const home = homeFolder();
  if (!home) return null;
  if (platform === "win32") return join(home, "AppData", "Roaming");
  return platform === "darwin" ? join(home, "Library", "Application Support") : join(home, ".config");
}

function homeFolder(): string | null {
  try {
    return homedir();
  } catch {
    // The user is in no list of users, as in a container with a made-up number.
    return null;
  }
}
