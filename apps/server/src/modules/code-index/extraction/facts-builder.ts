import { Bodies, digestOf } from './bodies.ts'
import { nameExpr } from './exprs.rules.ts'
import type { CallFact, Definition, DefinitionKind, Expr, FileFacts, ImportFact } from './facts.rules.ts'
import type { Syntax } from './syntax.ts'

type Draft = { -readonly [key in keyof Definition]: Definition[key] }

/** Collects the facts of one file while a visitor of its language walks the syntax. */
export class FactsBuilder {
  readonly syntax: Syntax
  readonly imports: ImportFact[] = []
  readonly exports: Record<string, Expr> = Object.create(null)
  /** The definition whose body is being read, or -1. */
  owner = -1
  /** The class or inline module that holds what is read, or -1. */
  holder = -1
  readonly #bodies: Bodies
  readonly #definitions: Draft[] = []
  readonly #calls: CallFact[] = []
  readonly #byName = new Map<string, number>()
  readonly #scopes: Map<string, Expr>[] = []

  constructor(syntax: Syntax) {
    this.syntax = syntax
    this.#bodies = new Bodies(syntax.text)
  }

  /** Adds a definition, or widens the one that has its name already: overloads share one. */
  define(name: string, kind: DefinitionKind, node: number, parent = this.holder, own = name): number {
    const holder = this.#definitions[parent]
    const qualified = holder ? `${holder.name}.${name}` : name
    const { syntax } = this
    const body_hash = this.#bodies.digest(syntax.start(node), syntax.end(node), own)
    const known = this.#byName.get(qualified)
    if (known !== undefined) {
      const draft = this.#definitions[known] as Draft
      draft.body_hash =
        draft.body_hash && body_hash ? digestOf(draft.body_hash + body_hash) : (draft.body_hash ?? body_hash)
      if (kind === 'class' && draft.kind !== 'class') draft.kind = kind
      return known
    }
    const lines = [syntax.lineAt(syntax.start(node)), syntax.lineAt(syntax.end(node))] as const
    this.#definitions.push({ name: qualified, kind, parent, lines, body_hash })
    this.#byName.set(qualified, this.#definitions.length - 1)
    return this.#definitions.length - 1
  }

  find(qualified: string): number {
    return this.#byName.get(qualified) ?? -1
  }

  get(definition: number): Definition | undefined {
    return this.#definitions[definition]
  }

  addBases(definition: number, bases: readonly Expr[]): void {
    const draft = this.#definitions[definition]
    const known = bases.filter((base) => base !== null)
    if (draft && known.length > 0) draft.bases = [...(draft.bases ?? []), ...known]
  }

  /** The first value that is known wins: a field is declared before it is assigned. */
  addField(definition: number, name: string, value: Expr): void {
    const draft = this.#definitions[definition]
    if (!draft || value === null || draft.fields?.[name]) return
    draft.fields = Object.assign(Object.create(null), draft.fields, { [name]: value })
  }

  setResult(definition: number, value: Expr): void {
    const draft = this.#definitions[definition]
    if (draft && value !== null) draft.result ??= value
  }

  setValue(definition: number, value: Expr): void {
    const draft = this.#definitions[definition]
    if (draft && value !== null) draft.value ??= value
  }

  /** The type that a method belongs to, where the method stands outside of it. */
  setOf(definition: number, type: Expr): void {
    const draft = this.#definitions[definition]
    if (draft && type !== null) draft.of ??= type
  }

  call(to: Expr): void {
    if (to !== null) this.#calls.push({ from: this.owner, to })
  }

  /** Reads a body as part of a definition. */
  inside<T>(definition: number, read: () => T): T {
    const before = this.owner
    this.owner = definition
    try {
      return read()
    } finally {
      this.owner = before
    }
  }

  /** Reads the members of a class or of an inline module. */
  holding<T>(definition: number, read: () => T): T {
    const before = this.holder
    this.holder = definition
    try {
      return this.inside(definition, read)
    } finally {
      this.holder = before
    }
  }

  scoped<T>(read: () => T): T {
    this.#scopes.push(new Map())
    try {
      return read()
    } finally {
      this.#scopes.pop()
    }
  }

  get isLocal(): boolean {
    return this.#scopes.length > 0
  }

  /** Declares a local name. Outside of any function nothing is local. */
  bind(name: string, value: Expr): void {
    this.#scopes.at(-1)?.set(name, value)
  }

  /** Gives a local name a value where it was declared without one. */
  assign(name: string, value: Expr): void {
    const scope = this.#scopes.findLast((each) => each.has(name))
    if (scope && scope.get(name) === null) scope.set(name, value)
  }

  isBound(name: string): boolean {
    return this.#scopes.some((scope) => scope.has(name))
  }

  /** A name as seen from here: a local value, or a name of the file. */
  lookup(name: string): Expr {
    for (let at = this.#scopes.length - 1; at >= 0; at -= 1) {
      const value = this.#scopes[at]?.get(name)
      if (value !== undefined) return value
    }
    return nameExpr(name)
  }

  facts(more: Partial<FileFacts> = {}): FileFacts {
    return {
      definitions: this.#definitions,
      imports: this.imports,
      calls: uniqueCalls(this.#calls),
      ...(Object.keys(this.exports).length > 0 ? { exports: this.exports } : {}),
      ...more,
    }
  }
}

function uniqueCalls(calls: readonly CallFact[]): CallFact[] {
  const seen = new Set<string>()
  return calls.filter((call) => {
    const key = JSON.stringify(call)
    return !seen.has(key) && seen.add(key)
  })
}
