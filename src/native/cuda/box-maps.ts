// Maps of arrays for copies of boxes by the tensor memory accelerator: the driver encodes them for an address, and launches get them by value.
// Part of emitted modules too, so nothing is imported but types and what calls the driver.

import type { CudaLaunch } from "../../compiler/index.ts";
import { argumentPlaces, type CudaCalls } from "./calls.ts";

type BoxMap = NonNullable<CudaLaunch["maps"]>[number];

const [mapBytes, mapAlignment] = [128, 64];

/** Numbers by which the driver names types of elements, by their bytes, and what it does on the way. */
const elementTypes = { 1: 0, 2: 1 } as const satisfies Record<BoxMap["elementBytes"], number>;
const plainOrder = 0;
const swizzle128 = 3;
const lines128 = 2;
const zerosOutside = 0;

/** Places of the arguments of a launch: addresses, then maps of the arrays there. @throws CudaError */
export const launchArguments = (
  cuda: Pick<CudaCalls, "call" | "addressOf">,
  addresses: readonly bigint[],
  { maps = [] }: Pick<CudaLaunch, "maps">,
): readonly Uint8Array[] => [
  ...argumentPlaces(addresses),
  ...maps.map((map) => encodeMap(cuda, map, addresses[map.array]!)),
];

function encodeMap(
  cuda: Pick<CudaCalls, "call" | "addressOf">,
  { elementBytes, columns, rows, box }: BoxMap,
  array: bigint,
): Uint8Array {
  const room = new Uint8Array(mapBytes + mapAlignment);
  const start = Number(-cuda.addressOf(room) & BigInt(mapAlignment - 1));
  const map = room.subarray(start, start + mapBytes);
  cuda.call(
    "cuTensorMapEncodeTiled",
    map,
    elementTypes[elementBytes],
    box.length,
    array,
    BigUint64Array.of(BigInt(columns), BigInt(rows)),
    BigUint64Array.of(BigInt(columns * elementBytes)),
    Uint32Array.from(box),
    Uint32Array.of(1, 1),
    plainOrder,
    swizzle128,
    lines128,
    zerosOutside,
  );
  return map;
}
