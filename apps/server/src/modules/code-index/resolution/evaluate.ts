import type { Expr } from '../extraction/facts.rules.ts'
import type { Family } from '../extraction/languages.rules.ts'
import {
  definitionAt,
  definitionOf,
  external,
  isOutside,
  type LanguageRules,
  type Place,
  type Value,
} from './values.rules.ts'

/** Longest way from a name to its value: imports, re-exports, aliases and bases together. */
const longestWay = 40
const mostBases = 12
/** Most work on one expression: aliases and bases that lead to each other must not cost more. */
const mostSteps = 2_000

/** Types that stand for what they wrap when it is waited for or unwrapped. */
const wrapping = new Set([
  'Promise',
  'PromiseLike',
  'Result',
  'Option',
  'Awaitable',
  'Optional',
  'Coroutine',
  'CompletableFuture',
  'Future',
])

/** Finds out what expressions are, now that all files are known. */
export class Evaluator {
  readonly #languages: Readonly<Record<Family, LanguageRules>>
  readonly #bases = new Map<string, readonly (Value | undefined)[]>()
  #way = 0
  #steps = 0

  constructor(make: (evaluator: Evaluator) => Readonly<Record<Family, LanguageRules>>) {
    this.#languages = make(this)
  }

  rules(family: Family): LanguageRules {
    return this.#languages[family]
  }

  value(expr: Expr, place: Place): Value | undefined {
    if (this.#way === 0) this.#steps = 0
    if (expr === null || this.#way > longestWay || this.#steps > mostSteps) return undefined
    this.#way += 1
    this.#steps += 1
    try {
      return this.#value(expr, place)
    } finally {
      this.#way -= 1
    }
  }

  #value(expr: NonNullable<Expr>, place: Place): Value | undefined {
    switch (expr[0]) {
      case 'n':
        return this.rules(place.file.family).lookup(place, expr[1])
      case 'd':
        return definitionAt(place.file, expr[1])
      case 'self':
        return { kind: 'instance', file: place.file, at: expr[1] }
      case 'super':
        return this.#instance(this.#base({ file: place.file, at: expr[1] }))
      case 'm':
        return this.member(this.value(expr[1], place), expr[2])
      case 'c':
        return this.#result(this.callee(expr[1], place))
      case 'i':
        return this.#instance(this.value(expr[1], place))
      case 'g':
        return this.#withArguments(this.value(expr[1], place), expr[2], place)
      case 'e':
        return this.#element(this.value(expr[1], place))
      case 'a':
        return this.#unwrapped(this.value(expr[1], place))
    }
  }

  /** What a call has as its callee: a definition, never an instance that happens to be callable. */
  callee(expr: Expr, place: Place): Value | undefined {
    if (expr?.[0] === 'super') return this.#base({ file: place.file, at: expr[1] })
    if (expr?.[0] !== 'm') return this.value(expr, place)
    return this.member(this.value(expr[1], place), expr[2], true)
  }

  #base(type: Place): Value | undefined {
    return this.#basesOf(type)[0]
  }

  /** Evaluated once: while that goes on, a name is not looked for in the bases that it may name. */
  #basesOf(type: Place): readonly (Value | undefined)[] {
    const key = `${type.file.path}#${type.at}`
    const known = this.#bases.get(key)
    if (known) return known
    this.#bases.set(key, [])
    const bases = (definitionOf(type)?.bases ?? []).map((base) => this.value(base, type))
    this.#bases.set(key, bases)
    return bases
  }

  #withArguments(value: Value | undefined, exprs: readonly Expr[], place: Place): Value | undefined {
    if (value?.kind !== 'definition' && value?.kind !== 'builtin') return value
    return { ...value, args: { exprs, place } }
  }

  #instance(type: Value | undefined): Value | undefined {
    if (type?.kind === 'builtin') return { ...type, isInstance: true }
    if (type?.kind !== 'definition') return type?.kind === 'external' ? external : undefined
    const definition = definitionOf(type)
    if (definition?.value && (definition.kind === 'type' || definition.kind === 'constant')) {
      const alias = this.value(definition.value, type)
      if (definition.kind === 'constant') return alias?.kind === 'definition' ? this.#instance(alias) : alias
      return alias?.kind === 'builtin' ? { ...alias, isInstance: true } : this.#instance(alias)
    }
    return { ...type, kind: 'instance' }
  }

  #result(callee: Value | undefined): Value | undefined {
    if (callee === undefined || isOutside(callee)) return callee && external
    // A component of a record is read by a method that nobody has written.
    if (callee.kind === 'instance' && callee.file.family === 'java') return callee
    if (callee.kind !== 'definition') return undefined
    const definition = definitionOf(callee)
    if (definition?.kind === 'class' || definition?.kind === 'interface' || definition?.kind === 'type') {
      return this.#instance(callee)
    }
    if (definition?.result !== undefined) return this.value(definition.result, callee)
    if (definition?.kind === 'constant' && definition.value)
      return this.#result(this.value(definition.value, callee))
    return undefined
  }

  #argument(value: Value | undefined, at: number): Value | undefined {
    if (value?.kind !== 'builtin' && value?.kind !== 'instance') return undefined
    const expr = value.args?.exprs.at(at)
    return expr && value.args ? this.#instance(this.value(expr, value.args.place)) : undefined
  }

  #element(value: Value | undefined): Value | undefined {
    if (value?.kind === 'builtin') return this.#argument(value, -1) ?? external
    return isOutside(value) ? external : this.#argument(value, -1)
  }

  #unwrapped(value: Value | undefined): Value | undefined {
    if (value?.kind !== 'builtin' || !wrapping.has(value.name)) return value
    return this.#argument(value, 0) ?? external
  }

  /** A member; where fields and methods may share a name, a call means the method. */
  member(of: Value | undefined, name: string, isCalled = false): Value | undefined {
    if (of === undefined) return undefined
    switch (of.kind) {
      case 'external':
      case 'builtin':
        return external
      case 'package':
        return this.rules(of.family).offered(of, name)
      case 'module':
        return this.rules(of.file.family).offered(of, name)
      default:
        return this.#memberOf(of, name, isCalled, new Set())
    }
  }

  #memberOf(type: Place, name: string, isCalled: boolean, seen: Set<string>): Value | undefined {
    const definition = definitionOf(type)
    const key = `${type.file.path}#${type.at}`
    if (!definition || seen.has(key) || seen.size > mostBases) return undefined
    seen.add(key)
    // A constant has the members of its declared type, as others see it.
    const declared =
      definition.kind === 'constant' && definition.value ? this.value(definition.value, type) : undefined
    const typed = isOutside(declared) ? undefined : this.member(declared, name, isCalled)
    if (typed) return typed
    const field = definition.fields?.[name]
    if (field && !isCalled && type.file.family !== 'script') return this.value(field, type)
    const own = this.rules(type.file.family).ownMember(type, name)
    if (own) return definitionAt(own.file, own.at)
    if (field) return this.value(field, type)
    const bases = this.#basesOf(type)
    for (const base of bases) {
      if (base?.kind !== 'definition' && base?.kind !== 'instance') continue
      const found = this.#memberOf(base, name, isCalled, seen)
      if (found) return found
    }
    if (definition.value && definition.kind !== 'function') {
      return this.member(this.value(definition.value, type), name, isCalled)
    }
    return bases.some(isOutside) ? external : undefined
  }
}
