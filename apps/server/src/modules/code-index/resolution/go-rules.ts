import type { Manifest } from '../extraction/facts.rules.ts'
import { folderOf, joinPath } from './paths.rules.ts'
import {
  definitionAt,
  external,
  type Imported,
  type LanguageRules,
  type Place,
  type SourceFile,
  type Value,
} from './values.rules.ts'

/** Names that a file takes from its package only on some machines: another file is asked first. */
const forOneSystem =
  /_(?:linux|darwin|windows|freebsd|openbsd|netbsd|js|wasm|plan9|solaris|amd64|arm64|386|arm)\.go$/

interface Package {
  readonly name: string
  readonly definitions: Map<string, Place>
}

/** Go: a package is a folder, and all of its files see each other. */
export class GoRules implements LanguageRules {
  readonly #packages = new Map<string, Map<string, Package>>()
  readonly #modules: readonly (readonly [string, string])[]
  readonly #vendors: readonly string[]

  constructor(files: ReadonlyMap<string, SourceFile>, manifests: ReadonlyMap<string, Manifest>) {
    const go = [...files.values()].filter(({ family }) => family === 'go')
    const vendors = new Set<string>()
    for (const file of [...go].sort(
      (a, b) => Number(forOneSystem.test(a.path)) - Number(forOneSystem.test(b.path)),
    )) {
      const { name, definitions } = this.#packageOf(file)
      file.facts.definitions.forEach((definition, at) => {
        if (!definitions.has(definition.name)) definitions.set(definition.name, { file, at })
      })
      const vendor = /^(?:.*\/)?vendor(?=\/)/.exec(file.path)?.[0]
      if (vendor !== undefined && name !== '') vendors.add(vendor)
    }
    this.#vendors = [...vendors].sort()
    this.#modules = [...manifests]
      .flatMap(([path, { name }]): [string, string][] =>
        path.endsWith('go.mod') && name !== undefined ? [[name, folderOf(path)]] : [],
      )
      .sort((a, b) => b[0].length - a[0].length || (a[1] < b[1] ? -1 : 1))
  }

  #packageOf(file: SourceFile): Package {
    const name = file.facts.package ?? ''
    const inFolder = this.#packages.get(file.folder) ?? new Map<string, Package>()
    this.#packages.set(file.folder, inFolder)
    const known = inFolder.get(name) ?? { name, definitions: new Map() }
    inFolder.set(name, known)
    return known
  }

  imports(file: SourceFile): Imported[] {
    return file.facts.imports.map(({ from }) => {
      const folder = this.#folder(from)
      if (folder !== undefined) return { paths: [folder], symbols: [] }
      return { paths: [], symbols: [], isOutside: !this.#isInside(from) }
    })
  }

  lookup({ file }: Place, name: string): Value | undefined {
    const own = file.byName.get(name)
    if (own !== undefined) return definitionAt(file, own)
    const shared = this.#packageOf(file).definitions.get(name)
    if (shared) return definitionAt(shared.file, shared.at)
    for (const { from, names, wildcard } of file.facts.imports) {
      const folder = this.#folder(from)
      if (wildcard && folder !== undefined) {
        const found = this.#offered(folder, name)
        if (found) return found
      }
      const [pair] = names
      if (!pair) continue
      const here = pair[1] || (folder === undefined ? lastPart(from) : this.#nameOf(folder))
      if (here !== name) continue
      return folder === undefined
        ? this.#isInside(from)
          ? undefined
          : external
        : { kind: 'package', family: 'go', name: folder }
    }
    return { kind: 'builtin', name, isInstance: false }
  }

  offered(value: Value & { kind: 'module' | 'package' }, name: string): Value | undefined {
    return value.kind === 'package' ? this.#offered(value.name, name) : undefined
  }

  ownMember({ file, at }: Place, name: string): Place | undefined {
    const type = file.facts.definitions[at]
    return type && this.#packageOf(file).definitions.get(`${type.name}.${name}`)
  }

  #offered(folder: string, name: string): Value | undefined {
    for (const { name: own, definitions } of this.#packages.get(folder)?.values() ?? []) {
      const found = own.endsWith('_test') ? undefined : definitions.get(name)
      if (found) return definitionAt(found.file, found.at)
    }
    return undefined
  }

  /** The name a package gives itself; programs and tests are not imported. */
  #nameOf(folder: string): string {
    const names = [...(this.#packages.get(folder)?.keys() ?? [])].filter((name) => !name.endsWith('_test'))
    return names.find((name) => name !== 'main') ?? names[0] ?? lastPart(folder)
  }

  #isInside(from: string): boolean {
    return this.#modules.some(([name]) => from === name || from.startsWith(`${name}/`))
  }

  #folder(from: string): string | undefined {
    for (const [name, folder] of this.#modules) {
      if (from !== name && !from.startsWith(`${name}/`)) continue
      const path = joinPath(folder, from.slice(name.length))
      if (path !== undefined && this.#packages.has(path)) return path
    }
    return this.#vendors.map((vendor) => `${vendor}/${from}`).find((path) => this.#packages.has(path))
  }
}

/** The last part of a path that is no version. */
function lastPart(path: string): string {
  const parts = path.split('/')
  const last = parts.pop() ?? ''
  return (/^v\d+$/.test(last) ? (parts.pop() ?? last) : last).replace(/^go-|\.go$|\.v\d+$/g, '')
}
