import { expect, test } from 'vitest'
import {
  type CodeGraph,
  type GraphEdge,
  type GraphNode,
  graphFaults,
  parentPath,
  type SkippedFile,
} from './graph.rules.ts'

const node = (kind: GraphNode['kind'], path: string, symbol = ''): GraphNode => ({
  kind,
  path,
  symbol,
  body_hash: null,
})
const nodes = [
  node('folder', ''),
  node('folder', 'src'),
  node('file', 'src/a.ts'),
  node('symbol', 'src/a.ts', 'f'),
]
const skipped: readonly SkippedFile[] = []
const graph = (parts: Partial<CodeGraph>): CodeGraph => ({
  nodes,
  edges: [],
  files_total: 1,
  skipped,
  references_total: 0,
  references_resolved: 0,
  ...parts,
})
const call = (from: number, to: number): GraphEdge => ({ kind: 'call', from, to })

test('a sound graph has no faults', () => {
  expect(graphFaults(graph({ edges: [call(2, 3), call(3, 3)] }))).toEqual([])
})

test.each([
  ['no root', graph({ nodes: [node('folder', 'src')] })],
  ['a file without its folder', graph({ nodes: [node('folder', ''), node('file', 'src/a.ts')] })],
  ['a symbol without its file', graph({ nodes: [node('folder', ''), node('symbol', 'a.ts', 'f')] })],
  ['the same node twice', graph({ nodes: [node('folder', ''), node('file', 'a'), node('file', 'a')] })],
  ['the same edge twice', graph({ edges: [call(2, 3), call(2, 3)] })],
  ['an edge to a position that is not there', graph({ edges: [call(2, 9)] })],
  ['a file that imports itself', graph({ edges: [{ kind: 'import', from: 2, to: 2 }] })],
])('%s is a fault', (_, broken) => {
  expect(graphFaults(broken)).not.toEqual([])
})

test.each([
  ['src/a.ts', 'src'],
  ['src/deep/b', 'src/deep'],
  ['a.ts', ''],
])('%s is held by "%s"', (path, parent) => {
  expect(parentPath(path)).toBe(parent)
})
