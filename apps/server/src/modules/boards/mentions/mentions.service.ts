import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import { listAgentsAmong, listMembersAmong } from '#modules/identity'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { agentsOf, peopleOf } from './mentions.rules.ts'

interface Mentioning {
  readonly named: readonly string[]
  readonly by: Pick<Actor, 'kind'>
}

/**
 * Which of those that each text names are active members and agents of the workspace; all members see all boards. A guest
 * mentions people only: their words never start the work of an agent. Two statements for all texts together.
 */
export async function resolveMentions(ctx: BrandTx, texts: readonly Mentioning[]): Promise<string[][]> {
  const allowed = texts.map(({ named, by }) =>
    by.kind === 'guest' ? named.filter((mention) => !mention.startsWith('agent:')) : [...named],
  )
  const all = [...new Set(allowed.flat())]
  const [people, agents] = [peopleOf(all), agentsOf(all)]
  const known = new Set([
    ...(people.length > 0 ? await listMembersAmong(ctx, people) : []).map((id) => `member:${id}`),
    ...(agents.length > 0 ? await listAgentsAmong(ctx, agents) : []).map((id) => `agent:${id}`),
  ])
  return allowed.map((named) => named.filter((mention) => known.has(mention)))
}
