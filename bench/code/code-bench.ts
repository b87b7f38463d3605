import type { CheckLine } from '../memory/check-line.ts'
import { checkJudge } from './judge-check.ts'
import { checkRepositories } from './repository-check.ts'
import { checkSpeed } from './speed-check.ts'
import { checkWalks } from './walk-check.ts'

export interface CodeOptions {
  /** Sources of the repository whose index is timed. */
  readonly files: number
  /** Nodes of the graph that is walked, and walks of each kind. */
  readonly nodes: number
  readonly rounds: number
  /** Bare repositories to index as well, and pairs of commits of each. */
  readonly repositories?: readonly string[] | undefined
  readonly pairs: number
  readonly seed: number
  /** Folder for lists of differences to the judge. */
  readonly report?: string | undefined
  /** Only checks with such a name. */
  readonly only?: RegExp | undefined
}

export const wholeCode: CodeOptions = { files: 6_000, nodes: 1_000_000, rounds: 200, pairs: 5, seed: 14 }
export const shortCode: CodeOptions = { files: 300, nodes: 20_000, rounds: 10, pairs: 1, seed: 14 }

/** The index of code: how fast it is made, and how fast it is walked. */
export async function* benchCode(options: CodeOptions): AsyncGenerator<CheckLine> {
  const { files, nodes, rounds, report, only, repositories = [], pairs, seed } = options
  const checks: Readonly<Record<string, () => AsyncIterable<CheckLine>>> = {
    walks: () => checkWalks(nodes, rounds),
    speed: () => checkSpeed(files),
    judge: () => checkJudge(report),
    repositories: () => checkRepositories({ repositories, pairs, seed }),
  }
  for (const [name, check] of Object.entries(checks)) {
    if (only && !only.test(name)) continue
    const began = performance.now()
    try {
      yield* check()
    } catch (error) {
      // What the other checks find is shown all the same.
      console.error(error)
      yield { check: name, what: 'the check itself', measured: 'failed', is_met: false, is_promise: true }
    }
    const took = `${((performance.now() - began) / 1000).toFixed(0)} s`
    yield { check: name, what: 'time of the check itself', measured: took }
  }
}
