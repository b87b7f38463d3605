import { deepestNode } from './exprs.rules.ts'
import type { Expr } from './facts.rules.ts'

/** Reads expressions inside expressions, down to a depth that generated code alone passes. */
export abstract class NestedExprs {
  #level = 0

  of(node: number): Expr {
    if (this.#level >= deepestNode) return null
    this.#level += 1
    try {
      return this.read(node)
    } finally {
      this.#level -= 1
    }
  }

  protected abstract read(node: number): Expr
}
