import { GitLimit, type GitOutput, type GitReader } from './git-reader.ts'
import { type History, type HistoryKind, parentsOf, type Step, stepsOf, wayUp } from './history.rules.ts'

/** Comparing similar files grows with the product of deleted and added ones; identical ones are found at once. */
const similarMs = 60_000
const mostCommits = 20_000
const difference = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-ext-diff', '--no-textconv']
/** Git says so and goes on, with fewer renames than there are. */
const skipped = /rename detection was skipped|too many files/i

/** How the commit came out of the one that was indexed before, as far as git can tell. */
export async function readHistory(git: GitReader, from: string | null, commit: string): Promise<History> {
  if (from === null) return { ...nothing, kind: 'first', commit }
  const kind = await kindOf(git, from, commit)
  if (kind === 'unknown_base' || (kind === 'shallow' && !(await hasCommit(git, from))))
    return { ...nothing, kind, commit, present: await listFiles(git, commit) }
  const ends = await differences(git, [from, commit])
  const whole = { ...nothing, kind, commit, ends: ends.steps[0]?.changes ?? [], renames: ends.renames }
  if (kind !== 'linear' || from === commit) return whole
  try {
    const steps = await readSteps(git, from, commit)
    if (!steps) return { ...whole, kind: 'too_long' }
    return { ...whole, steps: steps.steps, renames: worse(ends.renames, steps.renames) }
  } catch (error) {
    if (error instanceof GitLimit) return { ...whole, kind: 'too_long' }
    throw error
  }
}

const nothing = { steps: [], ends: null, present: null, renames: 'similar' } as const

async function kindOf(git: GitReader, from: string, commit: string): Promise<HistoryKind> {
  const isShallow = (await read(git, ['rev-parse', '--is-shallow-repository'])).stdout.trim() === 'true'
  if (!(await hasCommit(git, from))) return isShallow ? 'shallow' : 'unknown_base'
  if ((await read(git, ['merge-base', '--is-ancestor', from, commit], [0, 1])).code === 0) return 'linear'
  if (isShallow) return 'shallow'
  const common = await read(git, ['merge-base', from, commit], [0, 1])
  return common.code === 0 ? 'rewritten' : 'unrelated'
}

const hasCommit = async (git: GitReader, commit: string): Promise<boolean> =>
  (await git(['cat-file', '-e', `${commit}^{commit}`])).code === 0

async function readSteps(git: GitReader, from: string, commit: string): Promise<Differences | undefined> {
  const range = ['rev-list', '--ancestry-path', '--parents', `${from}..${commit}`]
  const parents = parentsOf((await read(git, range)).stdout)
  if (parents.size > mostCommits) return undefined
  const way = wayUp(parents, from, commit)
  const input = way.map((step) => `${step.commit} ${step.parent}\n`).join('')
  return differences(git, ['--stdin'], input)
}

interface Differences {
  readonly steps: Step[]
  readonly renames: History['renames']
}

async function differences(git: GitReader, of: readonly string[], input?: string): Promise<Differences> {
  const ask = (renames: readonly string[], limit_ms?: number) =>
    read(git, [...difference, ...renames, ...of], [0], {
      ...(input === undefined ? {} : { input }),
      ...(limit_ms === undefined ? {} : { limit_ms }),
    })
  try {
    const { stdout, stderr } = await ask(['-M', '-l0'], similarMs)
    return { steps: stepsOf(stdout), renames: skipped.test(stderr) ? 'identical' : 'similar' }
  } catch (error) {
    // Too slow, or it has no memory for contents as large as these: identical ones it finds without reading them.
    if (!(error instanceof GitLimit || error instanceof GitFailure)) throw error
    return { steps: stepsOf((await ask(['-M100%', '-l0'])).stdout), renames: 'identical' }
  }
}

class GitFailure extends Error {
  override readonly name = 'GitFailure'
}

async function listFiles(git: GitReader, commit: string): Promise<Set<string>> {
  const { stdout } = await read(git, ['ls-tree', '-r', '-z', '--name-only', commit])
  return new Set(stdout.split('\0').filter((path) => path !== ''))
}

async function read(
  git: GitReader,
  args: readonly string[],
  codes: readonly number[] = [0],
  options: Parameters<GitReader>[1] = {},
): Promise<GitOutput> {
  const output = await git(args, options)
  if (!codes.includes(output.code))
    throw new GitFailure(`git ${args[0]} ended with ${output.code}: ${output.stderr.slice(0, 500)}`)
  return output
}

const worse = (a: History['renames'], b: History['renames']): History['renames'] =>
  a === 'identical' ? a : b
