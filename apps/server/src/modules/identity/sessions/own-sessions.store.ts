import type { SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface OwnSessionRow {
  readonly id: number
  readonly created_at: string
  readonly last_used_on: string | null
  readonly expires_at: string
  readonly client: string | null
  readonly network: string | null
}

interface One {
  readonly person_id: number
  readonly id: number
}

const columns = 'id, created_at, last_used_on, expires_at, client, network'

// A person has few: signing in ends the oldest above the limit.
const list = statement<{ person_id: number; limit: number }, OwnSessionRow>(
  (p) => sql`select ${columns} from identity.sessions
   where person_id = ${p.person_id} and expires_at > platform.now() order by id desc limit ${p.limit}`,
)
const one = statement<One, OwnSessionRow>(
  (p) => sql`select ${columns} from identity.sessions where person_id = ${p.person_id} and id = ${p.id}`,
)
const end = statement<One, unknown>(
  (p) => sql`delete from identity.sessions where person_id = ${p.person_id} and id = ${p.id}`,
)
// With what the session that stays has approved and nobody has fetched yet: that would be another session.
const endOthers = statement<One, unknown>(
  (
    p,
  ) => sql`with unfetched as (delete from identity.device_codes where session_id = ${p.id} and status = 'approved')
   delete from identity.sessions where person_id = ${p.person_id} and id <> ${p.id}`,
)

export const listOwnSessions = (ctx: SystemCtx, person_id: number, limit: number) =>
  ctx.db.all(list, { person_id, limit })
export const findOwnSession = (ctx: SystemCtx, person_id: number, id: number) =>
  ctx.db.first(one, { person_id, id })
export const deleteOwnSession = async (ctx: SystemTx, person_id: number, id: number): Promise<boolean> =>
  (await ctx.db.run(end, { person_id, id })) > 0
export const deleteOtherSessions = (ctx: SystemTx, person_id: number, id: number) =>
  ctx.db.run(endOthers, { person_id, id })
