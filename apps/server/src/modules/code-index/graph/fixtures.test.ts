import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CodeRepository } from '../../../../test/code-repository.ts'
import { type CodeGraph, edgeKinds, type GraphEdge, graphFaults, keyOf } from './graph.rules.ts'
import { indexInProcess } from './index-process.ts'

// Each fixture is a repository with the traps of a language. What is expected of it was written by reading it, never
// by running what is judged here.

const languages = ['typescript', 'javascript', 'python', 'go', 'rust', 'java'] as const
const least: Readonly<Record<GraphEdge['kind'], readonly [number, number]>> = {
  import: [0.98, 0.98],
  symbol_import: [0.98, 0.98],
  call: [0.9, 0.8],
}

const readFixture = (name: string) => readFile(new URL(`fixtures/${name}.txt`, import.meta.url), 'utf8')

/** Files stand one after the other, each below a line with its path. */
const filesOf = (text: string) =>
  text
    .split(/^=== /m)
    .slice(1)
    .map((part) => ({ path: part.slice(0, part.indexOf('\n')), content: part.slice(part.indexOf('\n') + 1) }))

/** `from: path path#symbol,symbol #symbol` in sections; a symbol without a path is in the file of `from`. */
function expectedOf(text: string): Map<string, Set<string>> {
  const sections = new Map<string, Set<string>>()
  let section = new Set<string>()
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('//'))) {
    const title = /^\[(\w+)\]$/.exec(line)?.[1]
    if (title !== undefined) {
      section = new Set()
      sections.set(title, section)
      continue
    }
    const [from = '', targets = ''] = line.split(': ')
    for (const target of targets.split(' ')) {
      const [, path = '', symbols] = /^([^#]*)(?:#(.*))?$/.exec(target) ?? []
      const file = path === '' ? from.split('#')[0] : path
      if (symbols === undefined) section.add(`${from} -> ${target}`)
      else for (const symbol of symbols.split(',')) section.add(`${from} -> ${file}#${symbol}`)
    }
  }
  return sections
}

const foundEdges = ({ nodes, edges }: CodeGraph, kind: GraphEdge['kind']): Set<string> =>
  new Set(
    edges
      .filter((edge) => edge.kind === kind)
      .map(({ from, to }) => [from, to].map((at) => nodes[at] && keyOf(nodes[at])).join(' -> ')),
  )

function compare(name: string, found: ReadonlySet<string>, expected: ReadonlySet<string>) {
  const right = [...found].filter((each) => expected.has(each)).length
  const [precision, recall] = [right / found.size, right / expected.size]
  const wrong = [...found].filter((each) => !expected.has(each))
  const missed = [...expected].filter((each) => !found.has(each))
  const share = `precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, expected ${expected.size}`
  console.log(
    [`${name}: ${share}`, ...wrong.map((each) => `  + ${each}`), ...missed.map((each) => `  - ${each}`)].join(
      '\n',
    ),
  )
  return { precision, recall }
}

let repository: CodeRepository
beforeAll(async () => {
  repository = await CodeRepository.create()
})
afterAll(() => repository.remove())

describe.each(languages)('%s', (language) => {
  test('nodes and edges are those that the source shows', async () => {
    const commit = await repository.commit(filesOf(await readFixture(language)))
    const cache = { get: async () => new Map<string, string>(), put: async () => {} }
    const graph = await indexInProcess({ git_dir: repository.git_dir, commit, cache })
    expect(graphFaults(graph)).toEqual([])
    const expected = expectedOf(await readFixture(`${language}.expected`))
    const edges = edgeKinds.map((kind) => expected.get(kind) ?? new Set<string>())
    expect(edges.reduce((sum, each) => sum + each.size, 0)).toBeGreaterThanOrEqual(150)
    const symbols = new Set(
      graph.nodes.filter(({ kind }) => kind === 'symbol').map((node) => `${node.path} -> ${keyOf(node)}`),
    )
    const nodes = compare(`${language} symbols`, symbols, expected.get('symbols') ?? new Set())
    expect([nodes.precision, nodes.recall]).toEqual([1, 1])
    for (const kind of edgeKinds) {
      const { precision, recall } = compare(
        `${language} ${kind}`,
        foundEdges(graph, kind),
        expected.get(kind) ?? new Set(),
      )
      const [leastPrecision, leastRecall] = least[kind]
      if ((expected.get(kind)?.size ?? 0) === 0) continue
      expect(precision).toBeGreaterThanOrEqual(leastPrecision)
      expect(recall).toBeGreaterThanOrEqual(leastRecall)
    }
  })
})
