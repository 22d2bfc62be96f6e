// A WASM module as text in code: a letter for each of the bytes that modules have most, two for any other. Base64 is longer, and as it cuts bytes
// apart, compression does not find in it what the modules of a page have in common.

type Bytes = Uint8Array<ArrayBuffer>;

/** Places of letters in ASCII: none that a string's text, a template or HTML gives a meaning to. */
const isLetter = (code: number): boolean => code > 34 && code < 127 && !"$'<\\`".includes(String.fromCharCode(code));

/** Bytes of one letter: small numbers, and operations of f32 and of vectors. */
const isFrequent = (byte: number): boolean =>
  byte < 72 || [106, 123, 127, 128, 133, 144, 160, 176, 192, 228, 230, 231, 253].includes(byte);

const upTo = (end: number): readonly number[] => Array.from({ length: end }, (_, at) => at);

/** Letters by their number, and bytes by theirs: those of one letter first. */
const tables = () => ({
  letters: upTo(128).filter(isLetter),
  bytes: [...upTo(256).filter(isFrequent), ...upTo(256).filter((byte) => !isFrequent(byte))],
});

/** Modules in code that this plugin wrote: all begin with "\0asm", and minifiers keep the field's name. */
export const moduleInCode = /\btext:\s*["'`](#\}\?\}P\}J%###[^"'`]*)/g;

/** Bytes of one letter. All further letters are the first of two. */
const short = 85;

export function moduleText(module: Uint8Array): string {
  const { letters, bytes } = tables();
  const codes = bytes.map((_, at) =>
    at < short
      ? [letters[at]!]
      : [letters[short + Math.floor((at - short) / letters.length)]!, letters[(at - short) % letters.length]!],
  );
  return Array.from(module, (byte) => String.fromCharCode(...codes[bytes.indexOf(byte)]!)).join("");
}

export function moduleOf(text: string): Bytes {
  const { letters, bytes } = tables();
  const places: number[] = [];
  for (const [place, code] of letters.entries()) places[code] = place;
  const module: number[] = [];
  for (let at = 0; at < text.length; ) {
    let place = places[text.charCodeAt(at++)]!;
    if (place >= short) place += (place - short) * (letters.length - 1) + places[text.charCodeAt(at++)]!;
    module.push(bytes[place]!);
  }
  return Uint8Array.from(module);
}
