// How files go to a server and come from it: one interface, an implementation for each protocol that teams' servers speak.

/** Kinds of files, in Bazel's terms: `ac` has an entry by key, `cas` a blob by the sha256 of its bytes. */
export type FileKind = "ac" | "cas";

export type BytesReply =
  | { readonly kind: "ok"; readonly bytes: Uint8Array<ArrayBuffer> }
  /** `note`: something about the server that its owner should know; it need not be said twice. */
  | { readonly kind: "missing"; readonly note?: string }
  /** The server knows us, or wants to, and refuses. */
  | { readonly kind: "denied"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string };

export type PutReply =
  | { readonly kind: "stored" }
  /** Somebody was first: what is there stays. */
  | { readonly kind: "exists" }
  | { readonly kind: "denied"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string };

export interface PutOptions {
  /** Whether the server is asked to leave a file alone that is there. Not every protocol can say so. */
  readonly createOnce: boolean;
}

export interface Transport {
  /** @param mostBytes more are not read */
  get(kind: FileKind, name: string, mostBytes: number): Promise<BytesReply>;
  put(kind: FileKind, name: string, bytes: Uint8Array<ArrayBuffer>, options: PutOptions): Promise<PutReply>;
}

export interface TransportLimits {
  readonly getMs: number;
  readonly putMs: number;
  readonly signal?: AbortSignal | undefined;
}

export const defaultLimits: TransportLimits = { getMs: 10_000, putMs: 30_000 };

/** Folders of the URL below which the files of a namespace lie, then the kind and the name. */
export const addressOf = (url: string, namespace: string | null, kind: FileKind, name: string): string =>
  [url, ...(namespace === null ? [] : [namespace]), kind, name].join("/");
