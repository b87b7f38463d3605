import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CodeRepository } from '../../../../test/code-repository.ts'
import { extractorVersion } from '../extraction/facts.rules.ts'
import { type CodeGraph, graphFaults, keyOf } from './graph.rules.ts'
import type { FactsCache } from './index-commit.ts'
import { IndexFault, indexInProcess } from './index-process.ts'

let repository: CodeRepository

beforeAll(async () => {
  repository = await CodeRepository.create()
})
afterAll(() => repository.remove())

class MemoryCache implements FactsCache {
  readonly kept = new Map<string, string>()
  missed = 0

  async get(keys: readonly string[]) {
    const found = keys.flatMap((key): [string, string][] => {
      const text = this.kept.get(key)
      return text === undefined ? [] : [[key, text]]
    })
    this.missed += keys.length - found.length
    return new Map(found)
  }

  async put(entries: readonly (readonly [string, string])[]) {
    for (const [key, text] of entries) this.kept.set(key, text)
  }
}

const edgesOf = ({ nodes, edges }: CodeGraph): string[] =>
  edges.map(
    ({ kind, from, to }) => `${kind} ${[from, to].map((at) => nodes[at] && keyOf(nodes[at])).join(' -> ')}`,
  )

const index = (commit: string, more: Partial<Parameters<typeof indexInProcess>[0]> = {}) =>
  indexInProcess({ git_dir: repository.git_dir, commit, cache: new MemoryCache(), ...more })

const twoFiles = [
  { path: 'src/a.ts', content: "import { b } from './b'\nexport function a() { return b() }\n" },
  { path: 'src/b.ts', content: 'export const b = () => 1\n' },
]

test('a commit becomes a graph of folders, files, symbols and edges', async () => {
  const graph = await index(await repository.commit(twoFiles))
  expect(graph.nodes.map(keyOf)).toEqual(['', 'src', 'src/a.ts', 'src/a.ts#a', 'src/b.ts', 'src/b.ts#b'])
  expect(edgesOf(graph)).toEqual([
    'import src/a.ts -> src/b.ts',
    'symbol_import src/a.ts -> src/b.ts#b',
    'call src/a.ts#a -> src/b.ts#b',
  ])
  expect(graph).toMatchObject({ files_total: 2, skipped: [], references_total: 2, references_resolved: 2 })
})

test('a member with a computed name calls what its class has', async () => {
  const content =
    'export class Pages {\n  next() {}\n  static first() {}\n  *[Symbol.iterator]() { yield this.next() }\n' +
    '  static [Symbol.species]() { return this.first() }\n}\n'
  const graph = await index(await repository.commit([{ path: 'pages.ts', content }]))
  expect(edgesOf(graph)).toEqual([
    'call pages.ts#Pages -> pages.ts#Pages.first',
    'call pages.ts#Pages -> pages.ts#Pages.next',
  ])
})

test('what cannot be read is skipped with a reason, and the rest is indexed', async () => {
  const commit = await repository.commit(
    [
      ...twoFiles,
      { path: 'src/A.ts', content: 'export const upper = 1\n' },
      { path: 'binary.ts', content: Buffer.from([0, 1, 2, 0]) },
      { path: 'latin.py', content: Buffer.from([0x23, 0xe9, 0x0a]) },
      { path: Buffer.from([0x6e, 0xff, 0x2e, 0x74, 0x73]), content: 'export const n = 1\n' },
      { path: 'large.ts', content: `export const large = '${'x'.repeat(1_000_001)}'\n` },
      { path: 'link.ts', content: 'src/a.ts', mode: '120000' },
      { path: 'odd "name".ts', content: 'export const odd = 1\n' },
      { path: 'two\nlines.ts', content: 'export const two = 1\n' },
      { path: `${'d/'.repeat(210)}deep.ts`, content: 'export const deep = 1\n' },
      { path: 'nested.ts', content: `export const nested = ${'['.repeat(400_000)}${']'.repeat(400_000)}\n` },
      { path: 'notes.txt', content: 'no language\n' },
      { path: 'package.json', content: '{ broken' },
    ],
    [{ path: 'vendor/sub', commit: '1'.repeat(40) }],
  )
  const graph = await index(commit)
  const reasons = new Map(graph.skipped.map(({ path, reason }) => [path.slice(0, 12), reason]))
  expect(graphFaults(graph)).toEqual([])
  expect(reasons).toEqual(
    new Map([
      ['binary.ts', 'not text in UTF-8'],
      ['d/d/d/d/d/d/', 'in too many folders'],
      ['large.ts', 'larger than 1 MB'],
      ['latin.py', 'not text in UTF-8'],
      ['nested.ts', 'nested too deeply'],
      ['n\uFFFD.ts', 'the name is not UTF-8'],
      ['package.json', 'the manifest cannot be read'],
      ['two\nlines.ts', 'control characters in the name'],
      ['vendor/sub', 'a submodule'],
    ]),
  )
  const keys = graph.nodes.map(keyOf)
  expect(keys).toEqual(expect.arrayContaining(['link.ts', 'notes.txt', 'src/A.ts#upper', 'src/a.ts#a']))
  expect(keys).toContain('odd "name".ts#odd')
  expect(keys.filter((key) => key.startsWith('vendor') || key.startsWith('link.ts#'))).toEqual([])
})

test('a blob that promises 5 GB is skipped by that, without being read', async () => {
  const huge = await repository.promiseBlob(5 * 1024 ** 3, 'export const huge = 1\n')
  const commit = await repository.commit(twoFiles, [{ path: 'huge.ts', commit: huge, mode: '100644' }])
  const graph = await index(commit, { limits: { memory_mb: 512 } })
  expect(graph.skipped).toEqual([{ path: 'huge.ts', reason: 'larger than 1 MB' }])
  expect(graph.nodes.map(keyOf)).toContain('src/a.ts#a')
})

test('a blob that is longer than it promises, or is missing, does not become another one', async () => {
  const long = await repository.promiseBlob(10, `export const long = '${'x'.repeat(200_000)}'\n`)
  const lying = await repository.commit(twoFiles, [{ path: 'a.ts', commit: long, mode: '100644' }])
  await expect(index(lying)).rejects.toThrow(/damaged/)
  const lost = await repository.promiseBlob(20, 'export const a = 1\n')
  const commit = await repository.commit(twoFiles, [{ path: 'lost.ts', commit: lost, mode: '100644' }])
  await rm(join(repository.git_dir, 'objects', lost.slice(0, 2), lost.slice(2)))
  const graph = await index(commit)
  expect(graph.skipped).toEqual([{ path: 'lost.ts', reason: 'the blob is missing' }])
  expect(graph.nodes.map(keyOf)).toContain('src/a.ts#a')
})

test(`extractor ${extractorVersion}: cached facts give the same graph, and only changed blobs are read`, async () => {
  const cache = new MemoryCache()
  await index(await repository.commit(twoFiles), { cache })
  const changed = [...twoFiles.slice(0, 1), { path: 'src/b.ts', content: 'export function c() {}\n' }]
  const commit = await repository.commit(changed)
  cache.missed = 0
  const incremental = await index(commit, { cache })
  expect(cache.missed).toBe(1)
  expect(incremental).toEqual(await index(commit))
})

test('progress is told by stage, and a run that is given up ends', async () => {
  const told: string[] = []
  const commit = await repository.commit(twoFiles)
  await index(commit, { onProgress: (stage, done, total) => told.push(`${stage} ${done}/${total}`) })
  expect(told).toEqual(expect.arrayContaining(['list 1/1', 'extract 2/2', 'resolve 2/2']))
  const given = new AbortController()
  const run = index(commit, { signal: given.signal, onProgress: () => given.abort() })
  await expect(run).rejects.toMatchObject({ name: 'AbortError' })
})

test('a commit that is not there, or a process that needs too much memory, is a fault that says so', async () => {
  await expect(index('0'.repeat(40))).rejects.toThrow(/git ls-tree/)
  await expect(index('main')).rejects.toThrow(/whole id/)
  const commit = await repository.commit(twoFiles)
  await expect(index(commit, { limits: { memory_mb: 20 } })).rejects.toThrow(IndexFault)
})
