// Flags of WebGPU's buffers, by the standard's own numbers: Node has no globals for them, nor do TypeScript's libraries.

export const bufferUsage = { mapRead: 1, copySource: 4, copyTarget: 8, storage: 128 } as const;
export const mapRead = 1;
