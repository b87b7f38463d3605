import type { Tool } from '@crewhall/contracts/tools/tool.ts'

/** What a caller asked for with `toolsets`. */
export interface Chosen {
  readonly tools: readonly Tool[]
  /** Keys of installed packages whose tools are listed; all of them if nothing was asked for. */
  readonly packages: ReadonlySet<string> | 'all'
}

export interface UnknownToolset {
  readonly unknown: string
  /** The names there are. */
  readonly names: readonly string[]
}

const defaultToolset = 'default'
const mostNames = 50

/** Names by query or header, separated by commas. `all` is everything; the tools of `core` are always there. */
export function chosenTools(
  tools: readonly Tool[],
  asked: string | undefined,
  packageKeys: readonly string[],
): Chosen | UnknownToolset {
  const names = namesIn(asked)
  if (names.length === 0) return { tools: inToolsets(tools, new Set([defaultToolset])), packages: 'all' }
  if (names.includes('all')) return { tools, packages: 'all' }
  const known = ['all', ...new Set(tools.map(({ toolset }) => toolset)), ...packageKeys]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) return { unknown: unknown.slice(0, 60), names: known }
  return { tools: inToolsets(tools, new Set(names)), packages: new Set(names) }
}

const inToolsets = (tools: readonly Tool[], names: ReadonlySet<string>): readonly Tool[] =>
  tools.filter((tool) => tool.package === 'core' || names.has(tool.toolset))

const namesIn = (asked = ''): readonly string[] =>
  asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, mostNames)
