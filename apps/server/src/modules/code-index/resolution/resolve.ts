import type { FileFacts, Manifest } from '../extraction/facts.rules.ts'
import { familyOf } from '../extraction/languages.rules.ts'
import type { GraphEdge } from '../graph/graph.rules.ts'
import { Evaluator } from './evaluate.ts'
import { GoRules } from './go-rules.ts'
import { JavaRules } from './java-rules.ts'
import { folderOf } from './paths.rules.ts'
import { PythonRules } from './python-rules.ts'
import { RustRules } from './rust-rules.ts'
import { ScriptModules } from './script-modules.ts'
import { ScriptRules } from './script-rules.ts'
import { isOutside, type SourceFile, type Value } from './values.rules.ts'

/** An edge between keys: `path`, or `path#symbol`. */
export interface KeyedEdge {
  readonly kind: GraphEdge['kind']
  readonly from: string
  readonly to: string
}

export interface Resolved {
  /** Some of them more than once. */
  readonly edges: readonly KeyedEdge[]
  readonly references_total: number
  readonly references_resolved: number
  /** Of them, imports. */
  readonly imports: { readonly total: number; readonly resolved: number }
}

/** Resolves every reference of every file. Nothing is kept from an earlier run, so old and new files are alike. */
export function resolveAll(
  paths: ReadonlySet<string>,
  facts: ReadonlyMap<string, FileFacts>,
  onFile: () => void = () => {},
): Resolved {
  const files = sourceFiles(facts)
  const manifests = new Map<string, Manifest>()
  for (const [path, { manifest }] of facts) if (manifest) manifests.set(path, manifest)
  const evaluator = new Evaluator((evaluator) => {
    return {
      script: new ScriptRules(evaluator, new ScriptModules(paths, manifests), files),
      python: new PythonRules(files),
      go: new GoRules(files, manifests),
      rust: new RustRules(evaluator, files, manifests),
      java: new JavaRules(evaluator, files),
    }
  })
  const edges = new Edges()
  for (const file of files.values()) {
    edges.addImports(file, evaluator)
    edges.addCalls(file, evaluator)
    onFile()
  }
  return edges.done()
}

function sourceFiles(facts: ReadonlyMap<string, FileFacts>): Map<string, SourceFile> {
  const files = new Map<string, SourceFile>()
  for (const [path, each] of facts) {
    const family = familyOf(path)
    if (!family || each.manifest) continue
    const byName = new Map(each.definitions.map(({ name }, at) => [name, at]))
    files.set(path, { path, folder: folderOf(path), family, facts: each, byName })
  }
  return files
}

class Edges {
  readonly #edges: KeyedEdge[] = []
  #total = 0
  #resolved = 0
  readonly #imports = { total: 0, resolved: 0 }

  addImports(file: SourceFile, evaluator: Evaluator): void {
    for (const { paths, symbols, isOutside: outside } of evaluator.rules(file.family).imports(file)) {
      if (outside) continue
      this.#imports.total += 1
      if (paths.length > 0) this.#imports.resolved += 1
      for (const path of paths) this.#add('import', file.path, path)
      for (const symbol of symbols) {
        const key = keyOfValue(symbol)
        if (key !== undefined && !key.startsWith(`${file.path}#`)) this.#add('symbol_import', file.path, key)
      }
    }
  }

  addCalls(file: SourceFile, evaluator: Evaluator): void {
    for (const { from, to } of file.facts.calls) {
      const callee = evaluator.callee(to, { file, at: from })
      if (isOutside(callee)) continue
      this.#total += 1
      const key = keyOfValue(callee)
      if (key === undefined) continue
      this.#resolved += 1
      const caller = file.facts.definitions[from]
      this.#add('call', caller ? `${file.path}#${caller.name}` : file.path, key)
    }
  }

  #add(kind: GraphEdge['kind'], from: string, to: string): void {
    if (from === to && kind !== 'call') return
    this.#edges.push({ kind, from, to })
  }

  done(): Resolved {
    return {
      edges: this.#edges,
      references_total: this.#total + this.#imports.total,
      references_resolved: this.#resolved + this.#imports.resolved,
      imports: this.#imports,
    }
  }
}

function keyOfValue(value: Value | undefined): string | undefined {
  if (value?.kind !== 'definition') return undefined
  const definition = value.file.facts.definitions[value.at]
  return definition && `${value.file.path}#${definition.name}`
}
