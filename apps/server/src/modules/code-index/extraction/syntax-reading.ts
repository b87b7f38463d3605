import type { Expr } from './facts.rules.ts'
import { FactsBuilder } from './facts-builder.ts'
import type { Syntax } from './syntax.ts'

/** Walks a syntax: each kind of node has a reader, and nodes without one are passed through. */
export class SyntaxReading {
  readonly syntax: Syntax
  readonly builder: FactsBuilder
  /** Values that the function now read may return. */
  returns: Expr[] = []
  /** What the first parameter of the next function holds. */
  hint: Expr = null
  readonly #readers = new Map<string, (node: number) => void>()

  constructor(syntax: Syntax) {
    this.syntax = syntax
    this.builder = new FactsBuilder(syntax)
  }

  on(kinds: readonly string[], read: (node: number) => void): void {
    for (const kind of kinds) this.#readers.set(kind, read)
  }

  visit(node: number): void {
    if (node === 0) return
    const read = this.#readers.get(this.syntax.kind(node))
    if (read) read(node)
    else this.children(node)
  }

  children(node: number): void {
    for (let child = this.syntax.first(node); child !== 0; child = this.syntax.next(child)) this.visit(child)
  }

  nameOf(node: number): string {
    return this.syntax.textOf(this.syntax.field(node, 'name'))
  }

  /** Reads a body in a scope of its own. What it returns, where nothing is declared, is the first value known. */
  body(definition: number, read: () => void, declared?: Expr): void {
    const outer = this.returns
    this.returns = []
    const scoped = () => this.builder.scoped(read)
    if (definition >= 0) this.builder.inside(definition, scoped)
    else scoped()
    const inferred = this.returns.find((each) => each !== null) ?? null
    if (definition >= 0) this.builder.setResult(definition, declared ?? inferred)
    this.returns = outer
  }
}
