import { fork } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { CheckLine } from '../memory/check-line.ts'
import { BenchRepository, installed } from './bench-repository.ts'
import { differencesOf, indexOnce } from './indexer.ts'

const parser = fileURLToPath(new URL('bare-parser.ts', import.meta.url))
const most = 1_000_000

/** How fast a repository made of the sources of installed packages becomes a graph, beside the parser alone. */
export async function* checkSpeed(files: number): AsyncGenerator<CheckLine> {
  const folder = mkdtempSync(join(tmpdir(), 'crewhall-code-bench-'))
  try {
    const sources = listSources(files)
    const repository = new BenchRepository(join(folder, 'repository.git'))
    const first = repository.commit(sources)
    const bareFirst = await parseAlone(sources)
    const facts = new Map<string, string>()
    const full = await indexOnce(repository.git_dir, first, facts)
    const touched = repository.touch(sources.slice(0, 10))
    const incremental = await indexOnce(repository.git_dir, touched, facts)
    const again = await indexOnce(repository.git_dir, touched, new Map())
    const bare = quicker(bareFirst, await parseAlone(sources))
    const { graph } = full
    const whole = quicker(full, again)
    const share = bare.seconds / whole.seconds
    const cpuShare = bare.cpu_seconds / whole.cpu_seconds
    const isEqual = isDeepStrictEqual(incremental.graph, again.graph)
    const peak = Math.max(full.peak_mb, again.peak_mb)
    if (!isEqual) console.error(differencesOf(incremental.graph, again.graph))
    const found = `${graph.nodes.length} nodes, ${graph.edges.length} edges, ${graph.skipped.length} skipped`
    const resolved = `${graph.references_resolved} of ${graph.references_total} references`
    const check = 'speed'
    yield* [
      {
        check,
        what: 'whole index',
        measured: `${(sources.length / whole.seconds).toFixed(0)} files/s of ${sources.length}`,
      },
      { check, what: 'graph', measured: `${found}; ${resolved}` },
      { check, what: 'of the parser alone', measured: percent(share), bar: '60 %', is_met: share >= 0.6 },
      {
        check,
        what: 'the same in time of the processor, with git and the start of the process',
        measured: `${percent(cpuShare)} (${seconds(whole.cpu_seconds)})`,
      },
      { check, what: 'resolution', measured: seconds(full.resolve_seconds) },
      {
        check,
        what: '10 touched files',
        measured: `${seconds(incremental.seconds)} (${seconds(incremental.cpu_seconds)} of the processor)`,
        bar: '5 s',
        is_met: incremental.seconds <= 5,
      },
      {
        check,
        what: 'incremental equals full',
        measured: isEqual ? 'no difference' : 'differs',
        bar: 'equal',
        is_met: isEqual,
        is_promise: true,
      },
      {
        check,
        what: 'memory of the process',
        measured: `${peak.toFixed(0)} MB`,
        bar: '1,024 MB',
        is_met: peak <= 1_024,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const seconds = (value: number): string => `${value.toFixed(1)} s`
const percent = (value: number): string => `${(value * 100).toFixed(0)} %`

/** Sources of installed packages, small enough to be indexed. */
function listSources(files: number): string[] {
  const all = globSync('**/*.{ts,mts,cts,js,mjs,cjs}', { cwd: installed, exclude: ['@crewhall/**', '.*/**'] })
  return all
    .filter((path) => !path.startsWith('@crewhall') && isSmallFile(join(installed, path)))
    .sort()
    .slice(0, files)
}

function isSmallFile(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.size <= most
}

interface Took {
  readonly seconds: number
  readonly cpu_seconds: number
}

/** The parser in two processes, each with every other file, as the index has two threads. */
async function parseAlone(sources: readonly string[]): Promise<Took> {
  const paths = sources.map((path) => join(installed, path))
  const halves = [0, 1].map((half) => paths.filter((_, at) => at % 2 === half))
  const times = await Promise.all(
    halves.map(
      (half) =>
        new Promise<Took>((done, failed) => {
          const child = fork(parser, { stdio: 'ignore' })
          child.once('message', (took: Took) => done(took))
          child.once('exit', (code) => failed(new Error(`the parser ended (${code})`)))
          child.send(half)
        }),
    ),
  )
  return {
    seconds: Math.max(...times.map((each) => each.seconds)),
    cpu_seconds: times.reduce((sum, each) => sum + each.cpu_seconds, 0),
  }
}

/** Of two tries the quicker one: the other was disturbed. */
const quicker = (one: Took, other: Took): Took => ({
  seconds: Math.min(one.seconds, other.seconds),
  cpu_seconds: Math.min(one.cpu_seconds, other.cpu_seconds),
})
