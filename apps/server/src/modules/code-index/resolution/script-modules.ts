import type { Manifest } from '../extraction/facts.rules.ts'
import { folderOf, joinPath } from './paths.rules.ts'

type Pairs = readonly (readonly [string, readonly string[]])[]

const extensions = [
  '.ts',
  '.tsx',
  '.d.ts',
  '.mts',
  '.cts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.json',
  '.vue',
  '.svelte',
]
const written: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\.js$/, ['.ts', '.tsx', '.d.ts', '.jsx']],
  [/\.jsx$/, ['.tsx', '.d.ts']],
  [/\.mjs$/, ['.mts', '.d.mts']],
  [/\.cjs$/, ['.cts', '.d.cts']],
]
const builtFolders = /^(\.?\/?)(?:dist|lib|build|out|esm|cjs|es|types|dist\/(?:esm|cjs|types|src))\//

interface Config {
  readonly base: string | undefined
  readonly paths: Pairs
  readonly pathsBase: string
}

/** Which file a module specifier of TypeScript or JavaScript means. */
export class ScriptModules {
  readonly #paths: ReadonlySet<string>
  readonly #manifests: ReadonlyMap<string, Manifest>
  readonly #packages = new Map<string, string>()
  readonly #configs = new Map<string, Config | undefined>()
  readonly #known = new Map<string, string | undefined>()

  constructor(paths: ReadonlySet<string>, manifests: ReadonlyMap<string, Manifest>) {
    this.#paths = paths
    this.#manifests = manifests
    for (const [path, { name }] of manifests) {
      if (!path.endsWith('package.json') || name === undefined) continue
      const known = this.#packages.get(name)
      const folder = folderOf(path)
      if (known === undefined || folder.length < known.length) this.#packages.set(name, folder)
    }
  }

  /** The path of the file, or nothing. */
  resolve(from: string, specifier: string): string | undefined {
    const key = `${folderOf(from)}\0${specifier}`
    if (!this.#known.has(key)) this.#known.set(key, this.#resolve(from, specifier.replace(/[?!].*$/s, '')))
    return this.#known.get(key)
  }

  /** A specifier that can only mean something in this repository. */
  isInside(from: string, specifier: string): boolean {
    return /^(?:\.{1,2}(?:\/|$)|\/|#)/.test(specifier) || this.resolve(from, specifier) !== undefined
  }

  #resolve(from: string, specifier: string): string | undefined {
    const folder = folderOf(from)
    if (/^\.{1,2}(?:\/|$)/.test(specifier)) return this.#file(joinPath(folder, specifier))
    if (specifier.startsWith('/')) return this.#file(specifier.slice(1))
    return (
      this.#byConfig(folder, specifier) ?? this.#byImports(folder, specifier) ?? this.#byPackage(specifier)
    )
  }

  #file(path: string | undefined): string | undefined {
    if (path === undefined) return undefined
    if (this.#paths.has(path)) return path
    for (const [ending, sources] of written) {
      if (!ending.test(path)) continue
      const found = sources.map((each) => path.replace(ending, each)).find((each) => this.#paths.has(each))
      if (found !== undefined) return found
    }
    const direct = extensions.map((each) => path + each).find((each) => this.#paths.has(each))
    if (direct !== undefined) return direct
    const inside = path === '' ? '' : `${path}/`
    const manifest = this.#manifests.get(`${inside}package.json`)
    for (const entry of manifest?.entries ?? []) {
      const found = joinPath(path, entry)
      if (found !== undefined && found !== path && this.#paths.has(found)) return found
    }
    return extensions.map((each) => `${inside}index${each}`).find((each) => this.#paths.has(each))
  }

  #byPackage(specifier: string): string | undefined {
    const [, name = '', rest = ''] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(specifier) ?? []
    const folder = this.#packages.get(name)
    if (folder === undefined) return undefined
    const manifest = this.#manifests.get(folder === '' ? 'package.json' : `${folder}/package.json`)
    const subpath = `.${rest}`
    const exported = matched(manifest?.exports ?? [], subpath)
    const entries = rest === '' ? (manifest?.entries ?? []) : []
    for (const target of [...exported, ...entries]) {
      const found = this.#source(folder, target)
      if (found !== undefined) return found
    }
    if (rest !== '')
      return this.#source(folder, subpath) ?? this.#file(joinPath(folder, `src/${rest.slice(1)}`))
    return this.#file(joinPath(folder, 'src/index')) ?? this.#file(joinPath(folder, 'index'))
  }

  /** A target of a manifest often names what a build makes; the source stands in `src`, or without the folder. */
  #source(folder: string, target: string): string | undefined {
    const candidates = [target]
    if (builtFolders.test(target))
      candidates.push(target.replace(builtFolders, '$1src/'), target.replace(builtFolders, '$1'))
    for (const candidate of candidates) {
      const plain = candidate.replace(/\.d\.([mc]?)ts$/, '.$1js')
      const found = this.#file(joinPath(folder, candidate)) ?? this.#file(joinPath(folder, plain))
      if (found !== undefined) return found
    }
    return undefined
  }

  /** `imports` of the nearest manifest: `#name`. */
  #byImports(folder: string, specifier: string): string | undefined {
    if (!specifier.startsWith('#')) return undefined
    for (let at: string | undefined = folder; at !== undefined; at = parentOf(at)) {
      const manifest = this.#manifests.get(at === '' ? 'package.json' : `${at}/package.json`)
      if (!manifest) continue
      for (const target of matched(manifest.imports ?? [], specifier)) {
        const found = target.startsWith('.') ? this.#source(at, target) : this.#byPackage(target)
        if (found !== undefined) return found
      }
      return undefined
    }
    return undefined
  }

  #byConfig(folder: string, specifier: string): string | undefined {
    const config = this.#configOf(folder)
    if (!config) return undefined
    for (const target of matched(config.paths, specifier)) {
      const found = this.#file(joinPath(config.pathsBase, target))
      if (found !== undefined) return found
    }
    return config.base === undefined ? undefined : this.#file(joinPath(config.base, specifier))
  }

  /** The nearest tsconfig or jsconfig upwards. */
  #configOf(folder: string): Config | undefined {
    if (this.#configs.has(folder)) return this.#configs.get(folder)
    const inside = folder === '' ? '' : `${folder}/`
    const own = ['tsconfig.json', 'jsconfig.json']
      .map((name) => inside + name)
      .find((each) => this.#manifests.has(each))
    const parent = parentOf(folder)
    const config =
      own !== undefined ? this.#readConfig(own, 0) : parent === undefined ? undefined : this.#configOf(parent)
    this.#configs.set(folder, config)
    return config
  }

  #readConfig(path: string, depth: number): Config | undefined {
    const manifest = this.#manifests.get(path)
    if (!manifest || depth > 8) return undefined
    const folder = folderOf(path)
    const base = manifest.base_url === undefined ? undefined : joinPath(folder, manifest.base_url)
    const bases = (manifest.extends ?? []).map((each) =>
      this.#readConfig(this.#extended(folder, each) ?? '', depth + 1),
    )
    // A solution file has no paths of its own: those of the projects it lists are used.
    const parts = (manifest.references ?? []).map((each) => {
      const target = joinPath(folder, each) ?? ''
      return this.#readConfig(target.endsWith('.json') ? target : `${target}/tsconfig.json`, depth + 1)
    })
    const inherited = bases.findLast((each) => each !== undefined)
    const listed =
      manifest.paths || inherited?.paths.length ? undefined : parts.find((each) => each?.paths.length)
    return {
      base: base ?? inherited?.base ?? listed?.base,
      paths: manifest.paths ?? inherited?.paths ?? listed?.paths ?? [],
      pathsBase: manifest.paths ? (base ?? folder) : (inherited?.pathsBase ?? listed?.pathsBase ?? folder),
      ...(listed && !inherited?.paths.length ? { paths: listed.paths, pathsBase: listed.pathsBase } : {}),
    }
  }

  #extended(folder: string, target: string): string | undefined {
    const candidates = (path: string | undefined) =>
      path === undefined ? [] : [path, `${path}.json`, `${path}/tsconfig.json`]
    if (target.startsWith('.'))
      return candidates(joinPath(folder, target)).find((each) => this.#manifests.has(each))
    const [, name = '', rest = ''] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/.exec(target) ?? []
    const own = this.#packages.get(name)
    return own === undefined
      ? undefined
      : candidates(joinPath(own, rest)).find((each) => this.#manifests.has(each))
  }
}

const parentOf = (folder: string): string | undefined => (folder === '' ? undefined : folderOf(folder))

/** Targets of the best matching key: exact, else the longest beginning before a `*`. */
function matched(pairs: Pairs, specifier: string): readonly string[] {
  const exact = pairs.find(([key]) => key === specifier)
  if (exact) return exact[1]
  let best: { readonly length: number; readonly targets: readonly string[] } | undefined
  for (const [key, targets] of pairs) {
    const [before, after] = key.split('*')
    if (before === undefined || after === undefined || before.length < (best?.length ?? 0)) continue
    if (
      !specifier.startsWith(before) ||
      !specifier.endsWith(after) ||
      specifier.length < before.length + after.length
    )
      continue
    const part = specifier.slice(before.length, specifier.length - after.length)
    best = { length: before.length, targets: targets.map((each) => each.replaceAll('*', part)) }
  }
  return best?.targets ?? []
}
