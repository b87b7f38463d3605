import { entries } from '@crewhall/cli/commands/entries.ts'
import { RouteCommand } from '@crewhall/cli/commands/route-command.ts'
import { loadRoute } from '@crewhall/cli/commands/route-table.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'

export interface ListCommand {
  readonly words: string
  readonly route: AnyRoute
  /** How many arguments it cannot do without. */
  readonly needs: number
  readonly fields: readonly string[]
}

/** Every command that prints a list, with the fields that its contract gives to an item. */
export async function listCommands(): Promise<ListCommand[]> {
  const all = entries.map(async (entry) => {
    const route = await loadRoute(entry.route)
    if (!route) throw new Error(`there is no route ${entry.route}`)
    const { view } = new RouteCommand(route, entry)
    const needs = (entry.takes ?? []).filter((name) => !name.endsWith('?')).length
    return view.list === undefined ? [] : [{ words: entry.words, route, needs, fields: view.fields }]
  })
  return (await Promise.all(all)).flat()
}
