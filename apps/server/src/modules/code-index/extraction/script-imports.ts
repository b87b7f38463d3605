import type { ImportFact } from './facts.rules.ts'
import type { FactsBuilder } from './facts-builder.ts'
import type { ScriptExprs } from './script-exprs.ts'
import type { Syntax } from './syntax.ts'

const tornImport =
  /\b(import|export)\s+(?:type\s+)?(?:([\w$*{][^'";]*?)\s+from\s*)?(?:require\s*\(\s*)?(['"])([^'"\n]+)\3/g

/** Import, export and require of TypeScript and JavaScript. */
export class ScriptImports {
  readonly #builder: FactsBuilder
  readonly #exprs: ScriptExprs
  readonly #syntax: Syntax
  readonly #called = new Set<string>()

  constructor(builder: FactsBuilder, exprs: ScriptExprs) {
    this.#builder = builder
    this.#exprs = exprs
    this.#syntax = builder.syntax
  }

  #add(fact: ImportFact): void {
    this.#builder.imports.push(fact)
  }

  readImport(node: number): void {
    const syntax = this.#syntax
    const required = syntax.child(node, 'import_require_clause')
    const from = this.#exprs.stringOf(syntax.field(required || node, 'source'))
    if (from === undefined) return
    if (required !== 0) {
      this.#add({ from, names: [['=', syntax.textOf(syntax.first(required))]] })
      return
    }
    const names: [string, string][] = []
    for (const part of syntax.children(syntax.child(node, 'import_clause'))) {
      const kind = syntax.kind(part)
      if (kind === 'identifier') names.push(['default', syntax.textOf(part)])
      else if (kind === 'namespace_import') names.push(['*', syntax.textOf(syntax.first(part))])
      else for (const each of syntax.children(part)) names.push(this.#pair(each))
    }
    this.#add({ from, names })
  }

  /** By its text: `default` is a name in one grammar and a word in another. */
  #pair(specifier: number): [string, string] {
    const plain = (text: string | undefined) => text?.replace(/^['"]|['"]$/g, '')
    const [, name, alias] =
      /^(?:type\s+(?!as\b))?(\S+)(?:\s+as\s+(\S+))?$/.exec(this.#syntax.textOf(specifier)) ?? []
    return [plain(name) ?? '', plain(alias) ?? plain(name) ?? '']
  }

  /** `export … from`. */
  readReexport(node: number): boolean {
    const syntax = this.#syntax
    const from = this.#exprs.stringOf(syntax.field(node, 'source'))
    if (from === undefined) return false
    const clause = syntax.child(node, 'export_clause')
    const whole = syntax.child(node, 'namespace_export')
    if (clause !== 0)
      this.#add({ from, names: syntax.children(clause).map((each) => this.#pair(each)), reexport: true })
    else if (whole !== 0)
      this.#add({ from, names: [['*', syntax.textOf(syntax.first(whole))]], reexport: true })
    else this.#add({ from, names: [], wildcard: true, reexport: true })
    return true
  }

  /** `export { a as b }` and `export = a`. */
  readExportClause(node: number): void {
    const syntax = this.#syntax
    const clause = syntax.child(node, 'export_clause')
    for (const each of syntax.children(clause)) {
      const [name, alias] = this.#pair(each)
      this.#builder.exports[alias] = ['n', name]
    }
    const whole = syntax.child(node, 'identifier')
    if (clause === 0 && whole !== 0) this.#builder.exports['='] = ['n', syntax.textOf(whole)]
  }

  /** `const a = require('x')`, `const { a, b: c } = require('x')` and `const a = require('x').b`. */
  readRequire(pattern: number, value: number): boolean {
    const syntax = this.#syntax
    const isMember = syntax.kind(value) === 'member_expression'
    const call = isMember ? syntax.field(value, 'object') : value
    if (syntax.kind(call) !== 'call_expression') return false
    const called = this.#exprs.moduleCalled(call)
    if (!called?.startsWith('require:')) return false
    const from = called.slice('require:'.length)
    const kind = syntax.kind(pattern)
    if (kind === 'identifier') {
      const there = isMember ? syntax.textOf(syntax.field(value, 'property')) : '='
      this.#add({ from, names: [[there, syntax.textOf(pattern)]] })
      return true
    }
    if (kind !== 'object_pattern' || isMember) return false
    const names = syntax.children(pattern).flatMap((part): [string, string][] => {
      if (syntax.kind(part) === 'shorthand_property_identifier_pattern') {
        return [[syntax.textOf(part), syntax.textOf(part)]]
      }
      const local = syntax.field(part, 'value')
      if (syntax.kind(part) !== 'pair_pattern' || syntax.kind(local) !== 'identifier') return []
      return [[syntax.textOf(syntax.field(part, 'key')), syntax.textOf(local)]]
    })
    this.#add({ from, names })
    return true
  }

  /** A module that an expression takes, under the name the expression knows it by. */
  addCalled(called: string): void {
    if (this.#called.has(called)) return
    this.#called.add(called)
    const isImport = called.startsWith('import:')
    const from = called.slice(called.indexOf(':') + 1)
    this.#add({ from, names: [[isImport ? '*' : '=', called]] })
  }

  /** The name under which an assignment offers its value: '=' for all of `module.exports`. */
  commonName(left: number): string | undefined {
    const text = this.#syntax.textOf(left)
    if (text === 'module.exports') return '='
    return /^(?:module\.)?exports\.([\w$]+)$/.exec(text)?.[1]
  }

  /** `module.exports = { ...require('x') }`. */
  offerAll(value: number): void {
    const called =
      this.#syntax.kind(value) === 'call_expression' ? this.#exprs.moduleCalled(value) : undefined
    const name = this.#syntax.textOf(value)
    const from = called?.slice(called.indexOf(':') + 1) ?? this.#sourceOf(name)
    if (from !== undefined) this.#add({ from, names: [], wildcard: true, reexport: true })
  }

  #sourceOf(local: string): string | undefined {
    return this.#builder.imports.find(({ names }) =>
      names.some(([there, here]) => there === '=' && here === local),
    )?.from
  }

  /**
   * The grammar does not know every form (`export type * from`), and then loses the statement. Whatever the syntax
   * did not give is taken from the text, without names.
   */
  readTorn(): void {
    const known = new Set(this.#builder.imports.map(({ from }) => from))
    for (const [, keyword, clause = '', , from = ''] of this.#syntax.text.matchAll(tornImport)) {
      if (known.has(from) || (keyword === 'export' && clause === '')) continue
      const isAll = keyword === 'export' && clause.trim() === '*'
      this.#add({ from, names: [], ...(isAll ? { wildcard: true, reexport: true } : {}) })
    }
  }
}
