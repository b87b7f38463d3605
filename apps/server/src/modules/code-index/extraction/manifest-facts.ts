import { parse } from 'smol-toml'
import type { FileFacts, Manifest } from './facts.rules.ts'
import { noFacts } from './facts.rules.ts'
import type { ManifestKind } from './languages.rules.ts'

type Tree = Readonly<Record<string, unknown>>
type Pairs = readonly (readonly [string, readonly string[]])[]

/** What manifests say about names of packages and places of sources. A broken manifest says nothing. */
export function readManifest(kind: ManifestKind, text: string): FileFacts {
  try {
    return { ...noFacts, manifest: readers[kind](text) }
  } catch {
    return { ...noFacts, skipped: 'the manifest cannot be read' }
  }
}

const readers: Readonly<Record<ManifestKind, (text: string) => Manifest>> = {
  'package-json': readPackage,
  tsconfig: readTsconfig,
  'go-mod': (text) => {
    const name = /^[ \t]*module[ \t]+"?([^\s"]+)/m.exec(text)?.[1]
    return name === undefined ? {} : { name }
  },
  cargo: readCargo,
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : Array.isArray(value)
      ? value.filter((each) => typeof each === 'string')
      : []

function readPackage(text: string): Manifest {
  const root: unknown = JSON.parse(text)
  if (!isTree(root)) return {}
  const entries = ['source', 'types', 'typings', 'module', 'main'].flatMap((key) => textsOf(root[key]))
  const exports = exportPairs(root.exports)
  const imports = isTree(root.imports) ? Object.entries(root.imports).map(targetsOf) : []
  return {
    ...(typeof root.name === 'string' ? { name: root.name } : {}),
    ...(entries.length > 0 ? { entries } : {}),
    ...(exports.length > 0 ? { exports } : {}),
    ...(imports.length > 0 ? { imports } : {}),
  }
}

function exportPairs(exports: unknown): Pairs {
  if (exports === undefined || exports === null) return []
  const isBySubpath = isTree(exports) && Object.keys(exports).some((key) => key.startsWith('.'))
  return isBySubpath ? Object.entries(exports as Tree).map(targetsOf) : [['.', flatTargets(exports)]]
}

const targetsOf = ([key, value]: [string, unknown]): readonly [string, readonly string[]] => [
  key,
  flatTargets(value),
]

/** Every condition may hold; sources first, as the index reads sources. */
function flatTargets(value: unknown): string[] {
  if (!isTree(value)) return textsOf(value)
  const keys = Object.keys(value).sort((a, b) => Number(b === 'source') - Number(a === 'source'))
  return keys.flatMap((key) => flatTargets(value[key]))
}

function readTsconfig(text: string): Manifest {
  const root: unknown = JSON.parse(withoutComments(text))
  if (!isTree(root)) return {}
  const options = isTree(root.compilerOptions) ? root.compilerOptions : {}
  const paths = isTree(options.paths) ? Object.entries(options.paths).map(targetsOf) : []
  const references = Array.isArray(root.references)
    ? root.references.flatMap((each) => (isTree(each) ? textsOf(each.path) : []))
    : []
  return {
    extends: textsOf(root.extends),
    ...(typeof options.baseUrl === 'string' ? { base_url: options.baseUrl } : {}),
    ...(paths.length > 0 ? { paths } : {}),
    ...(references.length > 0 ? { references } : {}),
  }
}

/**
 * Comments and commas before a closing bracket, both allowed here and not in JSON. Texts are left alone, also one that
 * never ends: its end is not looked for again from each quote inside.
 */
function withoutComments(text: string): string {
  const stripped = text
    .replace(/^\uFEFF/, '')
    .replace(/("(?:\\.|[^"\\])*"?)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (_, quoted) => quoted ?? ' ')
  return stripped.replace(/("(?:\\.|[^"\\])*"?)|,(?=\s*[}\]])/g, (_, quoted) => quoted ?? '')
}

function readCargo(text: string): Manifest {
  const root: Tree = parse(text)
  const own = isTree(root.package) ? root.package : {}
  const lib = isTree(root.lib) ? root.lib : {}
  const bins = Array.isArray(root.bin)
    ? root.bin.flatMap((each) => (isTree(each) ? textsOf(each.path) : []))
    : []
  const sections = ['dependencies', 'dev-dependencies', 'build-dependencies'].map((key) => root[key])
  const workspace = isTree(root.workspace) ? root.workspace.dependencies : undefined
  const dependencies = [...sections, workspace].flatMap((section) =>
    isTree(section) ? Object.entries(section).map(dependencyOf) : [],
  )
  return {
    ...(typeof own.name === 'string' ? { name: typeof lib.name === 'string' ? lib.name : own.name } : {}),
    ...(typeof lib.path === 'string' ? { lib: lib.path } : {}),
    ...(bins.length > 0 ? { bins } : {}),
    ...(dependencies.length > 0 ? { dependencies } : {}),
  }
}

const dependencyOf = ([name, value]: [string, unknown]): readonly [string, string] => [
  name.replaceAll('-', '_'),
  (isTree(value) && typeof value.package === 'string' ? value.package : name).replaceAll('-', '_'),
]
