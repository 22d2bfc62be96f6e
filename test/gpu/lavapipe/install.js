// Installs Mesa's driver for CPUs of Debian's unstable suite into out/lavapipe, with the C library that it wants, 330 MB on disk: the one
// driver without a GPU that has subgroup matrices. Prints the folder.
//
//     node test/gpu/lavapipe/install.js

import { fileURLToPath } from "node:url";
import { unpackDebian } from "../../support/debian-packages.js";

const folder = fileURLToPath(new URL("../../../out/lavapipe", import.meta.url));
const packages = ["mesa-vulkan-drivers", "libvulkan1", "libstdc++6", "libc6"];

await unpackDebian({ folder, suite: "sid", packages, withDependencies: true });
console.log(folder);
