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
  #way = 0

  constructor(make: (evaluator: Evaluator) => Readonly<Record<Family, LanguageRules>>) {
    this.#languages = make(this)
  }

  rules(family: Family): LanguageRules {
    return this.#languages[family]
  }

  value(expr: Expr, place: Place): Value | undefined {
    if (expr === null || this.#way > longestWay) return undefined
    this.#way += 1
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
        return this.#result(this.value(expr[1], place))
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
    return this.value(expr, place)
  }

  #base(type: Place): Value | undefined {
    const bases = definitionOf(type)?.bases ?? []
    return bases.length === 0 ? undefined : this.value(bases[0] ?? null, type)
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

  member(of: Value | undefined, name: string): Value | undefined {
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
        return this.#memberOf(of, name, new Set())
    }
  }

  #memberOf(type: Place, name: string, seen: Set<string>): Value | undefined {
    const definition = definitionOf(type)
    const key = `${type.file.path}#${type.at}`
    if (!definition || seen.has(key) || seen.size > mostBases) return undefined
    seen.add(key)
    // A constant has the members of its declared type, as others see it.
    const declared =
      definition.kind === 'constant' && definition.value ? this.value(definition.value, type) : undefined
    const typed = isOutside(declared) ? undefined : this.member(declared, name)
    if (typed) return typed
    const own = this.rules(type.file.family).ownMember(type, name)
    if (own) return definitionAt(own.file, own.at)
    const field = definition.fields?.[name]
    if (field) return this.value(field, type)
    for (const base of definition.bases ?? []) {
      const value = this.value(base, type)
      if (value?.kind === 'external' || value?.kind === 'builtin') continue
      const found =
        value?.kind === 'definition' || value?.kind === 'instance'
          ? this.#memberOf(value, name, seen)
          : undefined
      if (found) return found
    }
    if (definition.value && definition.kind !== 'function')
      return this.member(this.value(definition.value, type), name)
    const isOpen = (definition.bases ?? []).some((base) => isOutside(this.value(base, type)))
    return isOpen ? external : undefined
  }
}
