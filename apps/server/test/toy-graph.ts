import type { ToyRepository } from './toy-repository.ts'
import { toySymbols } from './toy-repository.ts'

interface ToyNode {
  readonly kind: 'folder' | 'file' | 'symbol'
  readonly path: string
  readonly symbol: string
  readonly body_hash: string | null
}
type ToyEdgeKind = 'import' | 'symbol_import' | 'call'

const kinds: readonly ToyEdgeKind[] = ['import', 'symbol_import', 'call']
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The graph of a commit. `import <path>` and `call <path>#<name>` are edges, if they lead somewhere. */
export function toyGraph(repository: ToyRepository, commit: string) {
  const contents = contentsOf(repository, commit)
  const nodes: ToyNode[] = [{ kind: 'folder', path: '', symbol: '', body_hash: null }]
  const folders = new Set<string>()
  for (const [path, text] of contents) {
    const parts = path.split('/')
    for (let n = 1; n < parts.length; n += 1) folders.add(parts.slice(0, n).join('/'))
    nodes.push({ kind: 'file', path, symbol: '', body_hash: null })
    for (const { name, body_hash } of toySymbols(text))
      nodes.push({ kind: 'symbol', path, symbol: name, body_hash })
  }
  for (const path of folders) nodes.push({ kind: 'folder', path, symbol: '', body_hash: null })
  nodes.sort((a, b) => compare(a.path, b.path) || compare(a.symbol, b.symbol))
  const places = new Map(nodes.map(({ path, symbol }, at) => [symbol ? `${path}#${symbol}` : path, at]))
  const edges = new Map<string, { kind: ToyEdgeKind; from: number; to: number }>()
  for (const [path, text] of contents) {
    for (const [, kind, target = ''] of text.matchAll(/^(import|call) (\S+)$/gm)) {
      const from = places.get(path)
      const to = places.get(target)
      if (from === undefined || to === undefined || from === to) continue
      const as = kind === 'call' ? 'call' : target.includes('#') ? 'symbol_import' : 'import'
      edges.set(`${as} ${from} ${to}`, { kind: as, from, to })
    }
  }
  const sorted = [...edges.values()].sort(
    (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.from - b.from || a.to - b.to,
  )
  return {
    nodes,
    edges: sorted,
    files_total: contents.size,
    skipped: [],
    references_total: 0,
    references_resolved: 0,
  }
}

function contentsOf(repository: ToyRepository, commit: string): Map<string, string> {
  const paths = repository.paths(commit)
  return new Map(paths.map((path) => [path, repository.textAt(commit, path)]))
}
