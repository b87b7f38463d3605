import type { ImportFact } from '../extraction/facts.rules.ts'
import { folderOf, joinPath } from './paths.rules.ts'
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

const mostHops = 6

/** Python: packages by folder, from the roots that an import can start at. */
export class PythonRules implements LanguageRules {
  readonly #modules = new Map<string, SourceFile>()
  readonly #folders = new Set<string>()
  readonly #tops = new Map<string, Set<string>>()
  readonly #roots = new Map<string, readonly string[]>()
  #hops = 0

  constructor(files: ReadonlyMap<string, SourceFile>) {
    for (const file of files.values()) {
      if (file.family !== 'python') continue
      const name = file.path.replace(/(?:\/__init__)?\.pyi?$/, '')
      // A stub stands beside its module, which is the one to be found.
      if (!this.#modules.has(name) || file.path.endsWith('.py')) this.#modules.set(name, file)
      for (let folder = file.folder; folder !== '' && !this.#folders.has(folder); folder = folderOf(folder)) {
        this.#folders.add(folder)
      }
      if (!/(?:^|\/)__init__\.py$/.test(file.path) || this.#isPackage(folderOf(file.folder), files)) continue
      const top = file.folder.slice(file.folder.lastIndexOf('/') + 1)
      this.#tops.set(top, (this.#tops.get(top) ?? new Set()).add(folderOf(file.folder)))
    }
  }

  #isPackage(folder: string, files: ReadonlyMap<string, SourceFile>): boolean {
    return folder !== '' && files.has(`${folder}/__init__.py`)
  }

  imports(file: SourceFile): Imported[] {
    return file.facts.imports.map((fact) => {
      const module = this.#module(file, fact.from)
      if (!module) return { paths: [], symbols: [], isOutside: !this.#isInside(fact.from) }
      const paths = new Set<string>()
      const symbols: Value[] = []
      const own = pathOf(module)
      for (const [there] of fact.form === 'from' ? fact.names : []) {
        const value = this.offered(module, there)
        const isModule = value?.kind === 'module' || value?.kind === 'package'
        const path = isModule ? pathOf(value) : own
        if (path !== undefined && (value || own !== '')) paths.add(path)
        if (value?.kind === 'definition') symbols.push(value)
      }
      if (fact.form !== 'from' || fact.wildcard) paths.add(own)
      return { paths: [...paths], symbols }
    })
  }

  lookup({ file }: Place, name: string): Value | undefined {
    return this.#attribute(file, name) ?? { kind: 'builtin', name, isInstance: false }
  }

  offered(value: Value & { kind: 'module' | 'package' }, name: string): Value | undefined {
    if (value.kind === 'package') return this.#at(`${value.name}/${name}`)
    const found = this.#hops > mostHops ? undefined : this.#attribute(value.file, name)
    if (found) return found
    const isPackage = /(?:^|\/)__init__\.pyi?$/.test(value.file.path)
    return isPackage ? this.#at(value.file.folder === '' ? name : `${value.file.folder}/${name}`) : undefined
  }

  ownMember(type: Place, name: string): Place | undefined {
    return memberInFile(type, name)
  }

  /** A name that a module defines or has imported. */
  #attribute(file: SourceFile, name: string): Value | undefined {
    const own = named(file, name)
    if (own) return own
    this.#hops += 1
    try {
      const { imports } = file.facts
      for (const fact of imports) {
        const pair = fact.names.find(([, here]) => here === name)
        if (pair) return this.#taken(file, fact, pair[0], name)
      }
      if (this.#hops > mostHops) return undefined
      for (const fact of imports) {
        const module = fact.wildcard ? this.#module(file, fact.from) : undefined
        if (module?.kind !== 'module' || module.file === file) continue
        const { all } = module.file.facts
        if (all ? !all.includes(name) : name.startsWith('_')) continue
        const found = this.offered(module, name)
        if (found) return found
      }
      return undefined
    } finally {
      this.#hops -= 1
    }
  }

  #taken(file: SourceFile, fact: ImportFact, there: string, here: string): Value | undefined {
    const inside = this.#isInside(fact.from)
    // `import a.b` gives the name `a`.
    if (there === '.') return this.#module(file, here) ?? (inside ? undefined : external)
    const module = this.#module(file, fact.from)
    if (!module) return inside ? undefined : external
    return there === '*' ? module : this.offered(module, there)
  }

  #isInside(from: string): boolean {
    return from.startsWith('.') || this.#tops.has(from.split('.')[0] ?? '')
  }

  #module(file: SourceFile, from: string): (Value & { kind: 'module' | 'package' }) | undefined {
    const dots = /^\.*/.exec(from)?.[0].length ?? 0
    const rest = from.slice(dots).split('.').filter(Boolean).join('/')
    if (dots > 0) {
      const base = joinPath(file.folder, '../'.repeat(dots - 1))
      const path = base === undefined ? undefined : joinPath(base, rest)
      return path === undefined ? undefined : this.#at(path)
    }
    for (const root of this.#rootsOf(file, from)) {
      const found = this.#at(root === '' ? rest : `${root}/${rest}`)
      if (found) return found
    }
    return undefined
  }

  #at(path: string): (Value & { kind: 'module' | 'package' }) | undefined {
    const file = this.#modules.get(path)
    if (file) return moduleOf(file) as Value & { kind: 'module' }
    return this.#folders.has(path) ? { kind: 'package', family: 'python', name: path } : undefined
  }

  /** Where an absolute import may start: folders above the file, their `src`, then where such a package stands. */
  #rootsOf(file: SourceFile, from: string): readonly string[] {
    let above = this.#roots.get(file.folder)
    if (!above) {
      const roots = new Set<string>()
      let folder = file.folder
      while (this.#modules.get(folder)?.path.endsWith('__init__.py')) folder = folderOf(folder)
      for (; ; folder = folderOf(folder)) {
        roots.add(folder)
        roots.add(folder === '' ? 'src' : `${folder}/src`)
        if (folder === '') break
      }
      above = [...roots]
      this.#roots.set(file.folder, above)
    }
    return [...above, ...[...(this.#tops.get(from.split('.')[0] ?? '') ?? [])].sort()]
  }
}

const pathOf = (value: Value & { kind: 'module' | 'package' }): string =>
  value.kind === 'module' ? value.file.path : value.name
