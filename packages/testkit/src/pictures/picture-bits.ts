/** Bits one after the other: from the highest of each byte as JPEG has them, or from the lowest as GIF has. */
export class Bits {
  readonly #bytes: number[] = []
  readonly #order: 'high' | 'low'
  #held = 0
  #count = 0

  constructor(order: 'high' | 'low') {
    this.#order = order
  }

  put(value: number, length: number): void {
    for (let n = 0; n < length; n += 1) {
      const bit = (value >> (this.#order === 'high' ? length - 1 - n : n)) & 1
      this.#held |= bit << (this.#order === 'high' ? 7 - this.#count : this.#count)
      this.#count += 1
      if (this.#count === 8) this.#flush()
    }
  }

  /** The last byte is filled up with ones for JPEG and with zeros for GIF. */
  end(): Buffer {
    if (this.#order === 'high') while (this.#count > 0) this.put(1, 1)
    else if (this.#count > 0) this.#flush()
    return Buffer.from(this.#bytes)
  }

  #flush(): void {
    this.#bytes.push(this.#held)
    // In JPEG a byte of ones begins a marker unless a zero follows.
    if (this.#order === 'high' && this.#held === 0xff) this.#bytes.push(0)
    this.#held = 0
    this.#count = 0
  }
}
