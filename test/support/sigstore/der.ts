// DER, as far as a certificate of Sigstore needs it: values → bytes.

/** Tags of the values that are made here. */
const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  text: 0x0c,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
};

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

export function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(tags.sequence, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tagged(tags.set, ...parts);
export const octets = (...parts: readonly Uint8Array[]): Buffer => tagged(tags.octets, ...parts);
export const text = (value: string): Buffer => tagged(tags.text, Buffer.from(value));
export const yes: Buffer = tagged(tags.boolean, Buffer.from([0xff]));
export const integer = (value: number): Buffer => tagged(tags.integer, Buffer.from([value]));
/** @param unused bits at the end of the last byte */
export const bits = (bytes: Uint8Array, unused = 0): Buffer => tagged(tags.bits, Buffer.from([unused]), bytes);

/** GeneralizedTime: 2026-11-25T04:55:00Z → 20261125045500Z */
export const time = (date: Date): Buffer =>
  tagged(tags.time, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, "")));

/** "1.3.6.1" → its bytes */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((part) => {
    const groups = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return tagged(tags.oid, Buffer.from(bytes));
}
