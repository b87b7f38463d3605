import { hash } from 'node:crypto'

/** Bodies up to this length are too common to identify a symbol that has moved. */
const shortestBody = 60

/** Digests of parts of one text, without layout. The layout is taken out once, since parts stand inside of each other. */
export class Bodies {
  readonly #text: string
  #plain: string | undefined
  /** Where each position of the text is in the plain one. */
  #places = new Int32Array(0)

  constructor(text: string) {
    this.#text = text
  }

  /** A digest of a part without its own name and layout; null if too short to identify anything. */
  digest(start: number, end: number, name: string): string | null {
    if (end - start <= shortestBody) return null
    const plain = this.#plainText()
    const body = plain.slice(this.#places[start], (this.#places[end - 1] ?? 0) + 1)
    if (body.length <= shortestBody) return null
    return digestOf(/^\w+$/.test(name) ? masked(body, name) : body)
  }

  #plainText(): string {
    if (this.#plain !== undefined) return this.#plain
    const text = this.#text
    const places = new Int32Array(text.length)
    let place = -1
    let wasSpace = false
    for (let at = 0; at < text.length; at += 1) {
      const isSpace = isSpaceCode(text.charCodeAt(at))
      if (!isSpace || !wasSpace) place += 1
      places[at] = place
      wasSpace = isSpace
    }
    this.#places = places
    this.#plain = text.replace(/\s+/g, ' ')
    return this.#plain
  }
}

export const digestOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 32)

/** What `\s` matches. */
function isSpaceCode(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13)
  return code === 0xa0 || code === 0xfeff || (code >= 0x1680 && /\s/.test(String.fromCharCode(code)))
}

const isWordCode = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95

/** A text without the whole words that are `name`. */
function masked(text: string, name: string): string {
  let parts = ''
  let done = 0
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at)) {
    const end = at + name.length
    const isWhole = !isWordCode(text.charCodeAt(at - 1)) && !isWordCode(text.charCodeAt(end))
    if (isWhole) {
      parts += `${text.slice(done, at)}\0`
      done = end
    }
    at = isWhole ? end : at + 1
  }
  return done === 0 ? text : parts + text.slice(done)
}
