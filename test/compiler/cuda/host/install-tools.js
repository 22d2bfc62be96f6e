// Installs NVIDIA's compiler and disassembler of Debian's non-free packages into out/cuda-tools, without the packages that they depend on: a
// GPU is not needed. Prints the folder.
//
//     node test/compiler/cuda/host/install-tools.js

import { fileURLToPath } from "node:url";
import { unpackDebian } from "../../../support/debian-packages.js";

const folder = fileURLToPath(new URL("../../../../out/cuda-tools", import.meta.url));
/** The compiler as a library, what it is built in of, ptxas, cuobjdump and nvdisasm, and the driver's library, which finds no device. */
const packages = ["libnvrtc12", "libnvrtc-builtins12.4", "nvidia-cuda-toolkit", "libcuda1"];

await unpackDebian({ folder, suite: "trixie", area: "non-free", packages });
console.log(folder);
