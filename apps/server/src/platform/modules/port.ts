/**
 * What a module calls and modules to its right provide, such as who else has access to be taken from a guest. The
 * module that calls it defines the port, so it imports nobody to its right.
 */
export interface Port<T> {
  readonly name: string
  /** For the compiler alone: keeps ports of different types apart. */
  readonly provides?: T
}

export const port = <T>(name: string): Port<T> => ({ name })

/** What one module provides for a port. */
export interface Fill {
  readonly port: Port<never>
  readonly values: readonly unknown[]
}

export const fill = <T>(port: Port<T>, ...values: readonly T[]): Fill => ({
  port: port as Port<never>,
  values,
})

export class Ports {
  readonly #filled = new Map<object, unknown[]>()

  /** Everything provided for a port. It is complete once all modules are made: read it when you use it, not before. */
  of<T>(port: Port<T>): readonly T[] {
    return this.#listOf(port) as T[]
  }

  add(fills: readonly Fill[]): void {
    for (const { port, values } of fills) this.#listOf(port).push(...values)
  }

  #listOf(port: object): unknown[] {
    const known = this.#filled.get(port)
    if (known) return known
    const list: unknown[] = []
    this.#filled.set(port, list)
    return list
  }
}
