const cut = '[cut]'

/** What must not be in a line of a log, wherever it came from: an error may quote a header or an address. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/\b(?:dsk|chp|chs)_[0-9A-Za-z_-]{8,}/g, cut],
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g, cut],
  [/\b(authorization|cookie|signature)(["']?\s*[:=]\s*["']?)[^"'\r\n,}]+/gi, `$1$2${cut}`],
  [/\b(bearer|basic)\s+[0-9A-Za-z._~+/=-]{6,}/gi, `$1 ${cut}`],
  // Credentials of addresses.
  [/(\bhttps?:\/\/)[^\s/@"']+@/gi, `$1${cut}@`],
]

/** An address is read to its end, whether it has a query or not, so that none of it is read again. */
const address = /(\bhttps?:\/\/[^\s?"']+)(\?[^\s"']+)?/gi

export const cutSecrets = (text: string): string =>
  shapes
    .reduce((left, [shape, replacement]) => left.replace(shape, replacement), text)
    .replace(address, (_, place: string, query?: string) => (query ? `${place}?${cut}` : place))
