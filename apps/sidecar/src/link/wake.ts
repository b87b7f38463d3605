/** Ends a wait early: somebody has something to say. */
export class Wake {
  #controller = new AbortController()

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  ring(): void {
    this.#controller.abort()
    this.#controller = new AbortController()
  }
}
