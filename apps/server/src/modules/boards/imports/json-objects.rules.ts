const mostDepth = 64

/** Cuts a text of JSON into the objects of its lists, piece by piece, so that no more than one of them is held. */
export class ObjectScanner {
  /** Why nothing more is read. */
  fault: string | undefined
  readonly #most: number
  #depth = 0
  #lists = 0
  #inString = false
  #escaped = false
  #held = ''

  constructor(mostCharacters: number) {
    this.#most = mostCharacters
  }

  get isInside(): boolean {
    return this.#depth > 0 || this.#lists > 0
  }

  *feed(text: string): Generator<string> {
    let from = 0
    for (let at = 0; at < text.length && this.fault === undefined; at += 1) {
      const char = text[at] as string
      if (this.#depth === 0) {
        if (!this.#outside(char)) continue
        from = at
      } else if (this.#within(char)) {
        const found = this.#held + text.slice(from, at + 1)
        this.#held = ''
        if (found.length > this.#most) this.fault = 'the issue is longer than 1 MiB'
        else yield found
      }
    }
    if (this.#depth === 0) return
    this.#held += text.slice(from)
    if (this.#held.length > this.#most) this.fault = 'the issue is longer than 1 MiB'
  }

  /** Whether an object begins. */
  #outside(char: string): boolean {
    if (char === '{') {
      this.#depth = 1
      return true
    }
    if (char === '[' && this.#lists === 0) this.#lists = 1
    else if (char === ']' && this.#lists === 1) this.#lists = 0
    else if (!/[\s,]/.test(char)) this.fault = 'this is no list of issues'
    return false
  }

  /** Whether the object ends. */
  #within(char: string): boolean {
    if (this.#escaped) this.#escaped = false
    else if (this.#inString) {
      if (char === '\\') this.#escaped = true
      else if (char === '"') this.#inString = false
    } else if (char === '"') this.#inString = true
    else if (char === '{' || char === '[') {
      this.#depth += 1
      if (this.#depth > mostDepth) this.fault = `this is nested deeper than ${mostDepth} levels`
    } else if (char === '}' || char === ']') this.#depth -= 1
    return this.#depth === 0
  }
}
