import type { Expr } from './facts.rules.ts'
import { FactsBuilder } from './facts-builder.ts'
import { ScriptExprs } from './script-exprs.ts'
import { ScriptImports } from './script-imports.ts'
import type { Syntax } from './syntax.ts'

export const functionKinds = new Set([
  'arrow_function',
  'function_expression',
  'generator_function',
  'function_declaration',
  'generator_function_declaration',
  'function_signature',
  'method_definition',
  'method_signature',
  'abstract_method_signature',
])

/** What the parts that read a script share: the syntax, the facts so far, and who reads which kind of node. */
export class ScriptReading {
  readonly syntax: Syntax
  readonly builder: FactsBuilder
  readonly exprs: ScriptExprs
  readonly imports: ScriptImports
  exportMode: 'none' | 'named' | 'default' = 'none'
  /** Values that the function now read may return. */
  returns: Expr[] = []
  /** What the first parameter of the next function holds. */
  hint: Expr = null
  readonly #readers = new Map<string, (node: number) => void>()

  constructor(syntax: Syntax) {
    this.syntax = syntax
    this.builder = new FactsBuilder(syntax)
    this.exprs = new ScriptExprs(this.builder)
    this.imports = new ScriptImports(this.builder, this.exprs)
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

  exporting(isDefault: boolean, read: () => void): void {
    this.exportMode = isDefault ? 'default' : 'named'
    read()
    this.exportMode = 'none'
  }

  /** Called for each definition: one that stands in an export statement is offered. */
  named(node: number, definition: number, name = this.nameOf(node)): number {
    const mode = this.exportMode
    if (mode === 'none' || this.builder.holder >= 0) return definition
    this.builder.exports[mode === 'default' ? 'default' : name] = ['d', definition]
    return definition
  }
}
