import { spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Environment, environmentOfChild } from '../environment.ts'
import { outputs } from '../output/outputs.ts'
import { visibleLine } from '../output/visible.ts'
import { version } from '../version.ts'
import { type Known, knownFile } from './completion-cache.ts'
import { entries, groups } from './entries.ts'
import { specialCommands } from './special-commands.ts'

// Somebody waits for each key: nothing here loads a contract, and nothing waits for the service.

/** What was found out in the background; found out again when it is older than this. */
const fresh_ms = 60_000

/** Prints the words that may stand where the last one is begun. */
export async function complete(environment: Environment, words: readonly string[]): Promise<void> {
  const before = words.slice(0, -1)
  const last = words.at(-1) ?? ''
  // PowerShell before 7.3 leaves out a word that is empty, unless it is written like this.
  const begun = last === '""' ? '' : last
  const { known, isFresh } = await readKnown(environment)
  if (!isFresh) refreshLater(environment)
  const found = await candidates(environment, before, begun, known)
  const lines = found.filter((each) => each.startsWith(begun)).slice(0, 200)
  process.stdout.write(lines.map((each) => `${visibleLine(each)}\n`).join(''))
}

async function candidates(
  environment: Environment,
  before: readonly string[],
  begun: string,
  known: Known | undefined,
): Promise<readonly string[]> {
  const last = before.at(-1) ?? ''
  if (last === '--board') return known?.boards ?? []
  if (last === '-o' || last === '--output') return outputs
  if (last === '--profile') return profileNames(environment)
  const plain = before.filter((word) => !word.startsWith('-'))
  const all = [...entries, ...specialCommands.filter(({ is_hidden }) => !is_hidden)].map((each) => each.words)
  const [first, second] = plain
  if (begun.startsWith('-')) return known?.flags[`${first} ${second}`] ?? known?.flags[first ?? ''] ?? []
  if (first === undefined)
    return [...new Set([...Object.keys(groups), ...all.map((each) => each.split(' ')[0] ?? '')])]
  const verbs = all.filter((each) => each.startsWith(`${first} `)).map((each) => each.split(' ')[1] ?? '')
  if (verbs.length > 0 && second === undefined) return verbs
  if (first === 'open') return [...(known?.boards ?? []), ...(known?.refs ?? [])]
  const entry = entries.find((each) => each.words === first || each.words === `${first} ${second}`)
  const taken = plain.length - (entry?.words.split(' ').length ?? 0)
  const field = entry?.takes?.[taken]?.replace('?', '')
  if (field === 'task_id' || field === 'other_id' || field === 'card') return known?.refs ?? []
  return field === 'board_id' ? (known?.boards ?? []) : []
}

async function profileNames({ config_dir, run }: Environment): Promise<string[]> {
  if (run) return []
  const text = await readFile(join(config_dir, 'settings.json'), 'utf8').catch(() => '{}')
  try {
    return Object.keys((JSON.parse(text) as { profiles?: object }).profiles ?? {})
  } catch {
    return []
  }
}

async function readKnown({
  cache_dir,
}: Environment): Promise<{ known: Known | undefined; isFresh: boolean }> {
  const file = join(cache_dir, knownFile)
  try {
    const known = JSON.parse(await readFile(file, 'utf8')) as Known
    const { mtimeMs } = await stat(file)
    return { known, isFresh: known.version === version && Date.now() - mtimeMs < fresh_ms }
  } catch {
    return { known: undefined, isFresh: false }
  }
}

/** Nobody waits for it: what it finds is there for the next key. */
function refreshLater({ token }: Environment): void {
  const [, file = ''] = process.argv
  spawn(process.execPath, [file, '__refresh'], {
    detached: true,
    stdio: 'ignore',
    env: environmentOfChild(token === undefined ? {} : { CREWHALL_TOKEN: token }),
  }).unref()
}
