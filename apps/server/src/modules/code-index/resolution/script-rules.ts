import type { ImportFact } from '../extraction/facts.rules.ts'
import type { Evaluator } from './evaluate.ts'
import type { ScriptModules } from './script-modules.ts'
import {
  external,
  type Imported,
  type LanguageRules,
  memberInFile,
  moduleOf,
  named,
  type Place,
  type SourceFile,
  type Value,
} from './values.rules.ts'

/** Longest chain of re-exports that is followed. */
const mostHops = 6

type Binding = readonly [ImportFact, string]

/** TypeScript and JavaScript: names by scope, import, re-export and CommonJS. */
export class ScriptRules implements LanguageRules {
  readonly #evaluator: Evaluator
  readonly #modules: ScriptModules
  readonly #files: ReadonlyMap<string, SourceFile>
  readonly #bindings = new WeakMap<SourceFile, ReadonlyMap<string, Binding>>()
  #hops = 0

  constructor(evaluator: Evaluator, modules: ScriptModules, files: ReadonlyMap<string, SourceFile>) {
    this.#evaluator = evaluator
    this.#modules = modules
    this.#files = files
  }

  imports(file: SourceFile): Imported[] {
    return file.facts.imports.map((fact) => {
      const path = this.#modules.resolve(file.path, fact.from)
      if (path === undefined) {
        return { paths: [], symbols: [], isOutside: !this.#modules.isInside(file.path, fact.from) }
      }
      const symbols = fact.names
        .filter(([there, here]) => there !== '*' && !here.includes(':'))
        .map(([there]) => this.#taken(file, fact, there))
        .filter((value) => value?.kind === 'definition')
      return { paths: [path], symbols }
    })
  }

  lookup({ file, at }: Place, name: string): Value | undefined {
    const { definitions } = file.facts
    for (let holder = definitions[at]; holder; holder = definitions[holder.parent]) {
      const inner = holder.kind === 'module' ? named(file, `${holder.name}.${name}`) : undefined
      if (inner) return inner
    }
    const own = named(file, name)
    if (own) return own
    const binding = this.#bindingsOf(file).get(name)
    if (binding) return this.#taken(file, binding[0], binding[1])
    return name === 'exports' ? moduleOf(file) : { kind: 'builtin', name, isInstance: false }
  }

  offered(value: Value & { kind: 'module' | 'package' }, name: string): Value | undefined {
    return value.kind === 'module' ? this.#exported(value.file, name) : undefined
  }

  ownMember(type: Place, name: string): Place | undefined {
    return memberInFile(type, name)
  }

  #bindingsOf(file: SourceFile): ReadonlyMap<string, Binding> {
    const known = this.#bindings.get(file)
    if (known) return known
    const made = new Map<string, Binding>()
    for (const fact of file.facts.imports) {
      if (fact.reexport) continue
      for (const [there, here] of fact.names) made.set(here, [fact, there])
    }
    this.#bindings.set(file, made)
    return made
  }

  #taken(file: SourceFile, fact: ImportFact, there: string): Value | undefined {
    const path = this.#modules.resolve(file.path, fact.from)
    if (path === undefined) return this.#modules.isInside(file.path, fact.from) ? undefined : external
    const target = this.#files.get(path)
    if (target?.family !== 'script') return external
    if (there === '*') return moduleOf(target)
    if (there === '=') return this.#whole(target)
    return this.#exported(target, there) ?? (there === 'default' ? this.#whole(target) : undefined)
  }

  /** What `require` gives: the value of `module.exports`, or the names offered. */
  #whole(file: SourceFile): Value | undefined {
    const whole = file.facts.exports?.['=']
    return whole ? this.#evaluator.value(whole, { file, at: -1 }) : moduleOf(file)
  }

  #exported(file: SourceFile, name: string): Value | undefined {
    if (this.#hops > mostHops) return undefined
    this.#hops += 1
    try {
      return this.#ownExport(file, name)
    } finally {
      this.#hops -= 1
    }
  }

  #ownExport(file: SourceFile, name: string): Value | undefined {
    const own = file.facts.exports?.[name]
    if (own) return this.#evaluator.value(own, { file, at: -1 })
    const { imports } = file.facts
    for (const fact of imports) {
      const pair = fact.reexport ? fact.names.find(([, here]) => here === name) : undefined
      if (pair) return this.#taken(file, fact, pair[0])
    }
    if (name === 'default') return undefined
    for (const fact of imports) {
      const path = fact.wildcard ? this.#modules.resolve(file.path, fact.from) : undefined
      const target = path === undefined ? undefined : this.#files.get(path)
      const found = target?.family === 'script' && target !== file ? this.#exported(target, name) : undefined
      if (found) return found
    }
    const whole = file.facts.exports?.['=']
    return whole ? this.#evaluator.member(this.#evaluator.value(whole, { file, at: -1 }), name) : undefined
  }
}
