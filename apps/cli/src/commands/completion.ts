import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { environmentOfChild } from '../environment.ts'
import { failed } from '../failure.ts'
import { outputs } from '../output/outputs.ts'
import { textOf, writePrivately } from '../settings/profiles.ts'
import { version } from '../version.ts'
import { readBoards } from './board-names.ts'
import { entries, groups } from './entries.ts'
import type { SpecialCommand } from './special-command.ts'

/** What completion knows without asking anybody; asked for in the background when it is older than this. */
const fresh_ms = 60_000
interface Known {
  readonly version: string
  readonly boards: readonly string[]
  readonly refs: readonly string[]
  /** Flags of each command, by its words. */
  readonly flags: Readonly<Record<string, readonly string[]>>
}

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_crewhall() {
  local IFS=$'\\n'
  COMPREPLY=($(crewhall __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _crewhall crewhall
`,
  zsh: `#compdef crewhall
_crewhall() {
  local -a found
  found=(\${(f)"$(crewhall __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -a found
}
compdef _crewhall crewhall
`,
  fish: `function __crewhall_complete
  set -l words (commandline -opc) (commandline -ct)
  crewhall __complete $words[2..-1] 2>/dev/null
end
complete -c crewhall -f -a '(__crewhall_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName crewhall -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($word -eq '') { $words += '' }
  crewhall __complete @words 2>$null | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
}

export async function printScript(context: Context, [shell = '']: readonly string[]): Promise<undefined> {
  const script = (scripts as Record<string, string | undefined>)[shell]
  if (script === undefined)
    throw failed(`there is no completion for ${shell}`, `shells are ${shells.join(', ')}`)
  context.printer.text(script)
  return undefined
}

const fileOf = (context: Context): string => join(context.environment.cache_dir, 'completion.json')

/** Words that may stand where the last one is begun. */
export async function complete(
  context: Context,
  words: readonly string[],
  specials: readonly SpecialCommand[],
): Promise<undefined> {
  const before = words.slice(0, -1)
  const begun = words.at(-1) ?? ''
  const { known, isFresh } = await readKnown(context)
  if (!isFresh) refreshLater(context)
  const found = await candidates(context, before, begun, known, specials)
  for (const word of found.filter((each) => each.startsWith(begun)).slice(0, 200)) context.printer.line(word)
  return undefined
}

async function candidates(
  context: Context,
  before: readonly string[],
  begun: string,
  known: Known | undefined,
  specials: readonly SpecialCommand[],
): Promise<readonly string[]> {
  const last = before.at(-1) ?? ''
  if (last === '--board') return known?.boards ?? []
  if (last === '-o' || last === '--output') return outputs
  if (last === '--profile') return Object.keys((await context.profiles()).profiles)
  const plain = before.filter((word) => !word.startsWith('-'))
  const all = [...entries, ...specials.filter(({ is_hidden }) => !is_hidden)].map((each) => each.words)
  const [first, second] = plain
  if (begun.startsWith('-')) return known?.flags[`${first} ${second}`] ?? known?.flags[first ?? ''] ?? []
  if (first === undefined)
    return [...new Set([...Object.keys(groups), ...all.map((each) => each.split(' ')[0] ?? '')])]
  const verbs = all.filter((each) => each.startsWith(`${first} `)).map((each) => each.split(' ')[1] ?? '')
  if (verbs.length > 0 && second === undefined) return verbs
  const entry = entries.find((each) => each.words === first || each.words === `${first} ${second}`)
  const taken = plain.length - (entry?.words.split(' ').length ?? 0)
  const field = entry?.takes?.[taken]?.replace('?', '')
  if (field === 'task_id' || field === 'other_id' || field === 'card') return known?.refs ?? []
  return field === 'board_id' ? (known?.boards ?? []) : []
}

async function readKnown(context: Context): Promise<{ known: Known | undefined; isFresh: boolean }> {
  const file = fileOf(context)
  const text = await textOf(file)
  if (text === undefined) return { known: undefined, isFresh: false }
  try {
    const known = JSON.parse(text) as Known
    const { mtimeMs } = await stat(file)
    return { known, isFresh: known.version === version && Date.now() - mtimeMs < fresh_ms }
  } catch {
    return { known: undefined, isFresh: false }
  }
}

/** Nobody waits for it: what it finds is there for the next key. */
function refreshLater({ environment }: Context): void {
  const [, file = ''] = process.argv
  spawn(process.execPath, [file, '__refresh'], {
    detached: true,
    stdio: 'ignore',
    env: environmentOfChild(environment.token === undefined ? {} : { CREWHALL_TOKEN: environment.token }),
  }).unref()
}

export async function refresh(context: Context, specials: readonly SpecialCommand[]): Promise<undefined> {
  const { describeCommands } = await import('./describe.ts')
  const flags = (await describeCommands(specials)).map(
    ({ words, options }) => [words, options.map(({ long }) => long)] as const,
  )
  const boards = await readBoards(context).catch(() => [])
  const refs = await readRefs(context).catch(() => [])
  const known: Known = {
    version,
    boards: boards.map(({ key }) => key),
    refs,
    flags: Object.fromEntries(flags),
  }
  await writePrivately(fileOf(context), JSON.stringify(known))
  return undefined
}

/** The cards that changed last. */
async function readRefs(context: Context): Promise<string[]> {
  const { searchCards } = await import('@crewhall/contracts/boards/search.ts')
  const { body } = await (await context.caller()).call(searchCards, {
    query: { sort: '-updated', per_page: '100' },
  })
  return (body as { items: { ref: string }[] }).items.map(({ ref }) => ref)
}
