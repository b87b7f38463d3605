import type { ImportFact, Manifest } from '../extraction/facts.rules.ts'
import type { Evaluator } from './evaluate.ts'
import { type RustModule, RustTree } from './rust-tree.ts'
import {
  definitionAt,
  external,
  type Imported,
  isOutside,
  type LanguageRules,
  memberInFile,
  moduleOf,
  named,
  type Place,
  type SourceFile,
  type Value,
} from './values.rules.ts'

const mostHops = 6

/** Rust: names by module, `use` and crate; methods by type, wherever their `impl` stands. */
export class RustRules implements LanguageRules {
  readonly #evaluator: Evaluator
  readonly #tree: RustTree
  readonly #files: ReadonlyMap<string, SourceFile>
  #outside: Map<string, Map<string, Place>> | undefined
  #hops = 0

  constructor(
    evaluator: Evaluator,
    files: ReadonlyMap<string, SourceFile>,
    manifests: ReadonlyMap<string, Manifest>,
  ) {
    this.#evaluator = evaluator
    this.#files = files
    this.#tree = new RustTree(files, manifests)
  }

  imports(file: SourceFile): Imported[] {
    return file.facts.imports.map((fact) => {
      const module = this.#tree.at(file, fact.scope ?? -1)
      if (!module) return { paths: [], symbols: [] }
      if (fact.form === 'mod') {
        const child = module.children.get(fact.from)
        return { paths: child ? [child.file.path] : [], symbols: [] }
      }
      return this.#use(module, fact)
    })
  }

  #use(module: RustModule, fact: ImportFact): Imported {
    const from = this.#path(module, fact.from)
    if (isOutside(from)) return { paths: [], symbols: [], isOutside: true }
    const [pair] = fact.names
    if (!pair) return { paths: from && 'file' in from ? [from.file.path] : [], symbols: [] }
    const value = fact.from === '' ? this.#name(module, pair[0]) : this.#evaluator.member(from, pair[0])
    if (isOutside(value)) return { paths: [], symbols: [], isOutside: true }
    if (value?.kind === 'module') return { paths: [value.file.path], symbols: [] }
    // A variant is no node: its enum is taken.
    if (from?.kind === 'definition')
      return { paths: [from.file.path], symbols: [value?.kind === 'definition' ? value : from] }
    const path = from?.kind === 'module' ? from.file.path : undefined
    if (value?.kind !== 'definition') return { paths: [], symbols: [] }
    return { paths: [path ?? value.file.path], symbols: [value] }
  }

  /** What a path with `::` names, as seen from a module. */
  #path(module: RustModule, path: string): Value | undefined {
    if (path === '') return moduleOf(module.file, module.at)
    const [first = '', ...rest] = path.split('::')
    return rest.reduce<Value | undefined>(
      (of, name) => this.#evaluator.member(of, name),
      this.#name(module, first),
    )
  }

  lookup(place: Place, name: string): Value | undefined {
    const module = this.#tree.around(place)
    return module && this.#name(module, name)
  }

  #name(module: RustModule, name: string): Value | undefined {
    if (name === 'crate') return asModule(module.root)
    if (name === 'self') return asModule(module)
    if (name === 'super') return module.parent && asModule(module.parent)
    const found = this.#inModule(module, name)
    if (found) return found
    const crate = this.#tree.crate(module, name.replace(/!$/, ''))
    if (crate) return asModule(crate)
    // Macros are visible below the place that defines them, and from everywhere when exported: the root's are both.
    const macro = name.endsWith('!') ? this.#macro(module, name.slice(0, -1)) : undefined
    return macro ?? { kind: 'builtin', name, isInstance: false }
  }

  #macro(module: RustModule, name: string): Value | undefined {
    for (let here: RustModule | undefined = module; here; here = here.parent) {
      const at = here.file.byName.get(name)
      if (at !== undefined && here.file.facts.definitions[at]?.kind === 'macro')
        return definitionAt(here.file, at)
    }
    return undefined
  }

  offered(value: Value & { kind: 'module' | 'package' }, name: string): Value | undefined {
    const module = value.kind === 'module' ? this.#tree.at(value.file, value.at) : undefined
    if (!module) return undefined
    if (name === 'self') return value
    if (name === 'super') return module.parent && asModule(module.parent)
    return this.#inModule(module, name)
  }

  #inModule(module: RustModule, name: string): Value | undefined {
    const holder = module.file.facts.definitions[module.at]
    const child = module.children.get(name)
    if (child) return asModule(child)
    const own = named(module.file, holder ? `${holder.name}.${name}` : name)
    if (own?.kind === 'definition' && module.file.facts.definitions[own.at]?.kind !== 'macro') return own
    if (this.#hops > mostHops) return undefined
    this.#hops += 1
    try {
      return this.#used(module, name)
    } finally {
      this.#hops -= 1
    }
  }

  #used(module: RustModule, name: string): Value | undefined {
    const uses = module.file.facts.imports.filter(
      ({ form, scope = -1 }) => form === 'use' && scope === module.at,
    )
    for (const { from, names } of uses) {
      const pair = names.find(([, here]) => here === name)
      if (!pair) continue
      if (from !== '') return this.#evaluator.member(this.#path(module, from), pair[0])
      const crate = this.#tree.crate(module, pair[0])
      return crate ? asModule(crate) : pair[0] === name ? undefined : this.#name(module, pair[0])
    }
    for (const { from, wildcard } of uses) {
      const value = wildcard ? this.#path(module, from) : undefined
      const isOwn = value?.kind === 'module' && value.file === module.file && value.at === module.at
      const found =
        value === undefined || isOwn || isOutside(value) ? undefined : this.#evaluator.member(value, name)
      if (found && found !== external) return found
    }
    return undefined
  }

  ownMember(type: Place, name: string): Place | undefined {
    return memberInFile(type, name) ?? this.#methodsOutside().get(keyOf(type))?.get(name)
  }

  /** Methods whose `impl` stands in another module than their type. */
  #methodsOutside(): Map<string, Map<string, Place>> {
    if (this.#outside) return this.#outside
    const found = new Map<string, Map<string, Place>>()
    this.#outside = found
    for (const file of this.#files.values()) {
      if (file.family !== 'rust') continue
      file.facts.definitions.forEach((definition, at) => {
        if (!definition.of) return
        const type = this.#evaluator.value(definition.of, { file, at: definition.parent })
        if (type?.kind !== 'definition') return
        const methods = found.get(keyOf(type)) ?? new Map<string, Place>()
        const name = definition.name.split('.').at(-1) ?? ''
        if (!methods.has(name)) methods.set(name, { file, at })
        found.set(keyOf(type), methods)
      })
    }
    return found
  }
}

const asModule = ({ file, at }: RustModule): Value => moduleOf(file, at)
const keyOf = ({ file, at }: Place): string => `${file.path}#${at}`
