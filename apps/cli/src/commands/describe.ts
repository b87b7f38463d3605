import { Command } from 'commander'
import { addCommonFlags } from './common-flags.ts'
import { entries } from './entries.ts'
import { RouteCommand } from './route-command.ts'
import { loadRoute } from './route-table.ts'
import type { SpecialCommand } from './special-command.ts'

/** A command as its help has it. */
export interface Described {
  readonly words: string
  readonly usage: string
  readonly summary: string
  readonly description: string
  /** The method that it stands for, if it stands for one. */
  readonly route: string | undefined
  readonly options: readonly DescribedOption[]
}

interface DescribedOption {
  /** `-o, --output <form>`. */
  readonly flags: string
  readonly long: string
  readonly description: string
  readonly is_common: boolean
}

/** Every command that help tells of, for the manual and for completion. */
export async function describeCommands(specials: readonly SpecialCommand[]): Promise<Described[]> {
  const special = specials
    .filter(({ is_hidden }) => !is_hidden)
    .map((each) => {
      const command = new Command(each.words).summary(each.summary)
      command.description(each.description ?? each.summary)
      return described(each.declare?.(command) ?? command, undefined)
    })
  const routed = entries.map(async (entry) => {
    const route = await loadRoute(entry.route)
    if (!route) throw new Error(`crewhall ${entry.words} stands for ${entry.route}, which there is not`)
    return described(new RouteCommand(route, entry).declare(new Command(entry.words)), entry.route)
  })
  return [...special, ...(await Promise.all(routed))]
}

function described(command: Command, route: string | undefined): Described {
  const own = new Set(command.options)
  const given = command.registeredArguments.map((each) => {
    const name = `${each.name()}${each.variadic ? '...' : ''}`
    return each.required ? `<${name}>` : `[${name}]`
  })
  return {
    words: command.name(),
    usage: ['crewhall', command.name(), ...given].join(' '),
    summary: command.summary(),
    description: command.description(),
    route,
    options: addCommonFlags(command).options.map((option) => ({
      flags: option.flags,
      long: option.long ?? '',
      description: option.description,
      is_common: !own.has(option),
    })),
  }
}
