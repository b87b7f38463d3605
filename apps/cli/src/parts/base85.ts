/** The alphabet of Z85: no quotes and no backslash, so that a text of it is a literal as it stands. */
const alphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#'

/** Five characters for four bytes; before them the count of bytes that fill the last group. */
export function toBase85(bytes: Uint8Array): string {
  const missing = (4 - (bytes.length % 4)) % 4
  const view = new DataView(new ArrayBuffer(bytes.length + missing))
  new Uint8Array(view.buffer).set(bytes)
  const groups: string[] = [String(missing)]
  for (let at = 0; at < view.byteLength; at += 4) {
    let value = view.getUint32(at)
    let group = ''
    for (let digit = 0; digit < 5; digit += 1) {
      group = (alphabet[value % 85] ?? '') + group
      value = Math.floor(value / 85)
    }
    groups.push(group)
  }
  return groups.join('')
}

export function fromBase85(text: string): Uint8Array {
  const digits = new Uint8Array(128)
  for (let at = 0; at < alphabet.length; at += 1) digits[alphabet.charCodeAt(at)] = at
  const missing = Number(text[0])
  const view = new DataView(new ArrayBuffer(((text.length - 1) / 5) * 4))
  for (let from = 1, to = 0; from < text.length; from += 5, to += 4) {
    let value = 0
    for (let digit = 0; digit < 5; digit += 1)
      value = value * 85 + (digits[text.charCodeAt(from + digit)] ?? 0)
    view.setUint32(to, value)
  }
  return new Uint8Array(view.buffer, 0, view.byteLength - missing)
}
