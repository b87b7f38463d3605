const headBytes = 4096

/** Looks at a file as it arrives: how it begins, and whether all of it is text. */
export class TextCheck {
  #decoder: TextDecoder | undefined = new TextDecoder('utf-8', { fatal: true })
  #head = Buffer.alloc(0)

  add(piece: Uint8Array): void {
    const room = headBytes - this.#head.length
    if (room > 0) this.#head = Buffer.concat([this.#head, piece.subarray(0, room)])
    // Most of what is no text says so early; the rest of it is not looked at.
    if (this.#decoder && (piece.includes(0) || !this.#decodes(piece))) this.#decoder = undefined
  }

  /** At the end: a character that was begun has to be complete. */
  isText(): boolean {
    return this.#decodes(undefined)
  }

  get head(): Uint8Array {
    return this.#head
  }

  #decodes(piece: Uint8Array | undefined): boolean {
    try {
      this.#decoder?.decode(piece, { stream: piece !== undefined })
      return this.#decoder !== undefined
    } catch {
      return false
    }
  }
}
