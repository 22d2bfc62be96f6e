// Text that strangers wrote, on its way to a terminal: control characters and all beyond a few lines are not repeated.

const mostCharacters = 500;

export const printable = (text: string): string => text.slice(0, mostCharacters).replace(/\p{C}/gu, "?");
