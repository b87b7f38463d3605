/** Accepted kinds. Loaders of all others are disabled, whatever a file claims to be. */
export type PictureKind = 'png' | 'jpeg' | 'gif' | 'webp'

/** What an upload accepts, and how it is converted. */
export interface PictureRules {
  readonly kinds: readonly PictureKind[]
  readonly width: number
  readonly height: number
  /** `inside` keeps the whole picture and never enlarges it; `cover` fills the size and cuts from the middle. */
  readonly fit: 'inside' | 'cover'
  /** Transparent pictures become PNG. Without it they are put on white, and everything is JPEG. */
  readonly keep_alpha: boolean
}

export interface Picture {
  readonly bytes: Uint8Array
  readonly content_type: 'image/jpeg' | 'image/png'
}

const magics: Readonly<Record<PictureKind, (bytes: Uint8Array) => boolean>> = {
  png: (bytes) => startsWith(bytes, 0, '\x89PNG\r\n\x1a\n'),
  jpeg: (bytes) => startsWith(bytes, 0, '\xff\xd8\xff'),
  gif: (bytes) => startsWith(bytes, 0, 'GIF87a') || startsWith(bytes, 0, 'GIF89a'),
  webp: (bytes) => startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBP'),
}

/** By the first bytes alone: names and declared types are what the sender likes. */
export const kindOf = (bytes: Uint8Array, among: readonly PictureKind[]): PictureKind | undefined =>
  among.find((kind) => magics[kind](bytes))

const startsWith = (bytes: Uint8Array, at: number, text: string): boolean =>
  bytes.length >= at + text.length && [...text].every((char, n) => bytes[at + n] === char.charCodeAt(0))
