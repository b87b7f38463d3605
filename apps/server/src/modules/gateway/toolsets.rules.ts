import { builtInPackages, type Tool } from '@crewhall/contracts/tools/tool.ts'

/** What a caller asked for with `toolsets`. */
export interface Chosen {
  readonly tools: readonly Tool[]
  /** Keys of installed packages whose tools are listed; all of them if no names were given. */
  readonly packages: ReadonlySet<string> | 'all'
}

export interface UnknownToolset {
  readonly unknown: string
  /** The names there are. */
  readonly names: readonly string[]
}

const defaultToolset = 'default'
const mostNames = 50

/**
 * Names by query or header, separated by commas: toolsets, built-in packages, packages of other servers that the caller may
 * use, or `all`. The tools of `core` are always there.
 */
export function chosenTools(
  tools: readonly Tool[],
  asked: string | undefined,
  packageKeys: readonly string[],
): Chosen | UnknownToolset {
  const names = namesIn(asked)
  if (names.length === 0) return { tools: namedBy(tools, new Set([defaultToolset])), packages: 'all' }
  const toolsets = tools.map(({ toolset }) => toolset)
  const known = [...new Set(['all', ...toolsets, ...builtInPackages, ...packageKeys])]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) return { unknown: unknown.slice(0, 60), names: known }
  if (names.includes('all')) return { tools, packages: 'all' }
  return { tools: namedBy(tools, new Set(names)), packages: new Set(names) }
}

const namedBy = (tools: readonly Tool[], names: ReadonlySet<string>): readonly Tool[] =>
  tools.filter((tool) => tool.package === 'core' || names.has(tool.toolset) || names.has(tool.package))

const namesIn = (asked = ''): readonly string[] =>
  asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, mostNames)
