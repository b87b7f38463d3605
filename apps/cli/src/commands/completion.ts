import { join } from 'node:path'
import type { Context } from '../context.ts'
import { failed } from '../failure.ts'
import { writePrivately } from '../settings/profiles.ts'
import { version } from '../version.ts'
import { readBoards } from './board-names.ts'
import { type Known, knownFile } from './completion-cache.ts'
import type { SpecialCommand } from './special-command.ts'

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
  $words = @($ast.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.StartOffset -lt $position } | ForEach-Object { "$_" })
  if ($word -eq '') { $words += '""' }
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
  await writePrivately(join(context.environment.cache_dir, knownFile), JSON.stringify(known))
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
