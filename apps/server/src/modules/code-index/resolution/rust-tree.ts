import type { Manifest } from '../extraction/facts.rules.ts'
import { folderOf, joinPath } from './paths.rules.ts'
import type { Place, SourceFile } from './values.rules.ts'

/** A module: a file, or an inline module at `at` in it. */
export interface RustModule extends Place {
  readonly parent: RustModule | undefined
  readonly root: RustModule
  readonly children: Map<string, RustModule>
  /** Names of other crates as this one knows them. */
  readonly crates: ReadonlyMap<string, string>
}

/** The modules of all crates of a repository. */
export class RustTree {
  readonly #files: ReadonlyMap<string, SourceFile>
  readonly #modules = new Map<string, RustModule>()
  readonly #libraries = new Map<string, RustModule>()

  constructor(files: ReadonlyMap<string, SourceFile>, manifests: ReadonlyMap<string, Manifest>) {
    this.#files = files
    for (const [path, manifest] of manifests) {
      if (path.endsWith('Cargo.toml') && manifest.name !== undefined) this.#addCrate(folderOf(path), manifest)
    }
    // A file that no crate declares is a root of its own.
    for (const file of files.values()) {
      if (file.family === 'rust' && !this.#modules.has(keyOf(file, -1))) this.#add(file, new Map())
    }
  }

  #addCrate(folder: string, manifest: Manifest): void {
    const crates = new Map(manifest.dependencies ?? [])
    const at = (path: string) => this.#files.get(joinPath(folder, path) ?? '')
    const library = at(manifest.lib ?? 'src/lib.rs')
    const name = (manifest.name ?? '').replaceAll('-', '_')
    if (library) this.#libraries.set(name, this.#add(library, crates))
    const known = new Map(crates).set(name, name)
    const inside = folder === '' ? '' : `${folder}/`
    const isRoot = (path: string) =>
      path.startsWith(inside) &&
      /^(?:src\/main|build|(?:src\/bin|tests|examples|benches)\/(?:[^/]+|[^/]+\/main))\.rs$/.test(
        path.slice(inside.length),
      )
    const programs = [
      ...(manifest.bins ?? []).map(at),
      ...[...this.#files.values()].filter(({ path }) => isRoot(path)),
    ]
    for (const file of programs) if (file && !this.#modules.has(keyOf(file, -1))) this.#add(file, known)
  }

  #add(file: SourceFile, crates: ReadonlyMap<string, string>): RustModule {
    const module = { file, at: -1, parent: undefined, children: new Map(), crates } as unknown as RustModule
    Object.assign(module, { root: module })
    this.#modules.set(keyOf(file, -1), module)
    this.#grow(module, file.folder)
    return module
  }

  /** Adds what a module declares; `folder` is where files of its modules stand. */
  #grow(module: RustModule, folder: string): void {
    const { file, at } = module
    file.facts.definitions.forEach((definition, inner) => {
      if (definition.kind !== 'module' || definition.parent !== at) return
      const name = definition.name.split('.').at(-1) ?? ''
      this.#place(module, name, file, inner, joinPath(folder, name) ?? '')
    })
    for (const { form, from, names, scope = -1 } of file.facts.imports) {
      if (form !== 'mod' || scope !== at) continue
      const [[path] = ['', '']] = names
      const candidates = path
        ? [joinPath(file.folder, path)]
        : [joinPath(folder, `${from}.rs`), joinPath(folder, `${from}/mod.rs`)]
      const found = candidates.map((each) => this.#files.get(each ?? '')).find((each) => each !== undefined)
      if (!found || this.#modules.has(keyOf(found, -1))) continue
      const isOwnFolder = /(?:^|\/)mod\.rs$/.test(found.path) || path !== ''
      this.#place(module, from, found, -1, isOwnFolder ? found.folder : found.path.replace(/\.rs$/, ''))
    }
  }

  #place(parent: RustModule, name: string, file: SourceFile, at: number, folder: string): void {
    const module: RustModule = {
      file,
      at,
      parent,
      root: parent.root,
      children: new Map(),
      crates: parent.crates,
    }
    parent.children.set(name, module)
    this.#modules.set(keyOf(file, at), module)
    this.#grow(module, folder)
  }

  /** The module that a definition stands in. */
  around({ file, at }: Place): RustModule | undefined {
    let here = at
    while (here >= 0 && file.facts.definitions[here]?.kind !== 'module')
      here = file.facts.definitions[here]?.parent ?? -1
    return this.#modules.get(keyOf(file, here))
  }

  at(file: SourceFile, at: number): RustModule | undefined {
    return this.#modules.get(keyOf(file, at))
  }

  /** A crate of this repository by the name it has in another one. */
  crate(from: RustModule, name: string): RustModule | undefined {
    const own = from.crates.get(name)
    return own === undefined ? undefined : this.#libraries.get(own)
  }
}

const keyOf = (file: SourceFile, at: number): string => `${file.path}#${at}`
