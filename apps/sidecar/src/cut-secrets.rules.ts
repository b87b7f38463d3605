const cut = '[cut]'

/** What must not be in a line of a log, wherever it came from: an error may quote a header or an address. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/\b(?:dsk|chp|chs)_[0-9A-Za-z_-]{8,}/g, cut],
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g, cut],
  [/\b(authorization|cookie|signature)(["']?\s*[:=]\s*["']?)[^"'\r\n,}]+/gi, `$1$2${cut}`],
  [/\b(bearer|basic)\s+[0-9A-Za-z._~+/=-]{6,}/gi, `$1 ${cut}`],
  // Credentials and queries of addresses.
  [/(\bhttps?:\/\/)[^\s/@"']+@/gi, `$1${cut}@`],
  [/(\bhttps?:\/\/[^\s?"']+\?)[^\s"']+/gi, `$1${cut}`],
]

export const cutSecrets = (text: string): string =>
  shapes.reduce((left, [shape, replacement]) => left.replace(shape, replacement), text)
