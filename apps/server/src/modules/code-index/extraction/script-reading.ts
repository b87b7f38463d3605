import { ScriptExprs } from './script-exprs.ts'
import { ScriptImports } from './script-imports.ts'
import type { Syntax } from './syntax.ts'
import { SyntaxReading } from './syntax-reading.ts'

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
export class ScriptReading extends SyntaxReading {
  readonly exprs: ScriptExprs
  readonly imports: ScriptImports
  exportMode: 'none' | 'named' | 'default' = 'none'

  constructor(syntax: Syntax) {
    super(syntax)
    this.exprs = new ScriptExprs(this.builder)
    this.imports = new ScriptImports(this.builder, this.exprs)
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
