import { execFileSync } from 'node:child_process'
import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { seededRandom } from '@crewhall/testkit/seeded-random.ts'
import type { CheckLine } from '../memory/check-line.ts'
import { differencesOf, type IndexRun, indexOnce } from './indexer.ts'

const check = 'repositories'

export interface RepositoryOptions {
  /** Folders of bare ones. */
  readonly repositories: readonly string[]
  /** Of commits in each, as many as are compared. */
  readonly pairs: number
  readonly seed: number
}

/** Real repositories, given by their folders: what an index of them costs, and that incremental ones equal full ones. */
export async function* checkRepositories(options: RepositoryOptions): AsyncGenerator<CheckLine> {
  if (options.repositories.length === 0) {
    const informational = 'give bare repositories with --repositories=folder,folder'
    yield { check, what: 'real repositories', measured: 'none given', informational }
  }
  for (const folder of options.repositories) {
    const name = basename(folder) === 'repo' ? basename(folder.slice(0, -'/repo'.length)) : basename(folder)
    yield* await costs(folder, name)
    if (options.pairs > 0) yield await pairsOf(folder, name, options)
  }
}

async function costs(folder: string, name: string): Promise<CheckLine[]> {
  const run = await indexOnce(folder, git(folder, 'rev-parse', 'HEAD'), new Map())
  const { graph } = run
  const line = (what: string, measured: string): CheckLine => ({ check, what: `${name}: ${what}`, measured })
  const { total = 0, resolved = 0 } = graph.imports ?? {}
  const share = ((resolved / total) * 100).toFixed(2)
  return [
    line('graph', `${graph.files_total} files, ${graph.nodes.length} nodes, ${graph.edges.length} edges`),
    line('processor and memory', `${run.cpu_seconds.toFixed(1)} CPU-s, ${run.peak_mb.toFixed(0)} MB`),
    line('imports of the repository resolved', `${share} % of ${total}`),
    line('skipped', reasonsOf(run)),
  ]
}

function reasonsOf({ graph }: IndexRun): string {
  const counts = new Map<string, number>()
  for (const { reason } of graph.skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts].map(([reason, count]) => `${count} ${reason}`).join(', ') || 'none'
}

/** Of two commits, the second is indexed with what the first has left, and from nothing. */
async function pairsOf(folder: string, name: string, { pairs, seed }: RepositoryOptions): Promise<CheckLine> {
  const commits = git(folder, 'rev-list', '--first-parent', '--max-count=3000', 'HEAD').split('\n')
  const random = seededRandom(seed)
  const unequal: string[] = []
  for (let pair = 0; pair < pairs; pair += 1) {
    const newer = Math.floor(random() * (commits.length - 1))
    const older = Math.min(commits.length - 1, newer + 1 + Math.floor(random() * 100))
    const [base = '', head = ''] = [commits[older], commits[newer]]
    const facts = new Map<string, string>()
    await indexOnce(folder, base, facts)
    const incremental = await indexOnce(folder, head, facts)
    const full = await indexOnce(folder, head, new Map())
    if (isDeepStrictEqual(incremental.graph, full.graph)) continue
    unequal.push(`${base}..${head}`)
    console.error(`${name} ${base}..${head} differs:`, differencesOf(incremental.graph, full.graph))
  }
  return {
    check,
    what: `${name}: incremental equals full, ${pairs} pairs of commits, seed ${seed}`,
    measured: unequal.length === 0 ? 'no difference' : `${unequal.length} differ: ${unequal.join(', ')}`,
    bar: 'equal',
    is_met: unequal.length === 0,
    is_promise: true,
  }
}

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', [`--git-dir=${folder}`, ...args], { encoding: 'utf8', maxBuffer: 1 << 26 }).trim()
