import { boardsOfOther } from '@crewhall/contracts/boards/refusals.ts'
import { type BoardSum, leadBounds, type SumDimension } from '@crewhall/contracts/boards/sums.ts'
import type { Paging } from '@crewhall/contracts/wire.ts'
import { listPeople } from '#modules/identity'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { areBoards } from '../boards/known-boards.service.ts'
import { derivePercentile, deriveWeeks } from './sums.rules.ts'
import * as store from './sums.store.ts'

interface Query extends Paging {
  readonly by: readonly SumDimension[]
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly board_ids?: readonly string[] | undefined
}

export async function readSums(ctx: BrandCtx, { by, board_ids, page, per_page, ...asked }: Query) {
  const weeks = deriveWeeks(asked, ctx.now())
  if (board_ids && !(await areBoards(ctx, board_ids))) throw boardsOfOther()
  const query = {
    by_board: by.includes('board'),
    by_week: by.includes('week'),
    by_agent: by.includes('agent'),
    by_person: by.includes('person'),
    ...weeks,
    board_ids: board_ids ?? null,
  }
  const rows = await store.listSums(ctx, { ...query, limit: per_page, offset: (page - 1) * per_page })
  // Each row says how many there are; behind the last page, the first one does.
  const [any] =
    rows.length > 0 || page === 1 ? rows : await store.listSums(ctx, { ...query, limit: 1, offset: 0 })
  // Sums hold numbers of people only, so that nothing in them has to be erased.
  const people = await listPeople(
    ctx,
    rows.flatMap(({ person_id }) => person_id || []),
  )
  const names = new Map(people.map(({ id, full_name }) => [id, full_name]))
  return {
    items: rows.map((row) => present(row, by, names)),
    total: any?.total ?? 0,
    page,
    per_page,
    ...weeks,
  }
}

function present(
  row: store.SumRow,
  by: readonly SumDimension[],
  names: ReadonlyMap<number, string>,
): BoardSum {
  const { board_id, week, agent, person_id, cards_done, tokens, cost_micros } = row
  const person = person_id ? { user_id: person_id, name: names.get(person_id) ?? null } : null
  return {
    ...(board_id ? { board: { id: board_id, key: row.board_key, name: row.board_name } } : {}),
    ...(by.includes('agent') ? { agent: agent ? { id: agent, name: row.agent_name } : null } : {}),
    ...(by.includes('person') ? { person } : {}),
    ...(week ? { week } : {}),
    cards_done,
    lead_time: presentLead(row),
    tokens,
    cost_micros,
  }
}

function presentLead({
  cards_done: cards,
  lead_seconds,
  within: counts,
}: store.SumRow): BoardSum['lead_time'] {
  const within = leadBounds.map((seconds, at) => ({ seconds, cards: counts[at] ?? 0 }))
  return {
    total_seconds: lead_seconds,
    mean_seconds: cards === 0 ? null : lead_seconds / cards,
    p50_within_seconds: derivePercentile(within, { cards, percent: 50 }),
    p85_within_seconds: derivePercentile(within, { cards, percent: 85 }),
    within,
  }
}
