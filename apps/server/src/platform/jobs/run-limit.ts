/** A run that hangs ends as a failure. What it still does cannot be stopped, but it hears of it. */
export class RunLimit {
  readonly #seconds: number
  #abort: AbortController | undefined
  #error: Error | undefined

  constructor(seconds: number) {
    this.#seconds = seconds
  }

  /** Made on demand: most jobs never look at it, and it costs more than the rest of their run. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#error) this.#abort.abort(this.#error)
    return this.#abort.signal
  }

  async over(work: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const hung = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#error = new Error(`the run took longer than ${this.#seconds} s`)
        reject(this.#error)
        this.#abort?.abort(this.#error)
      }, this.#seconds * 1000)
    })
    try {
      await Promise.race([work, hung])
    } finally {
      clearTimeout(timer)
    }
  }
}
