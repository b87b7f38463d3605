import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import { isStillReferenced } from '#platform/db/pg-errors.ts'
import { sql, statement } from '#platform/db/statement.ts'

/** Rows were written behind a pass: they hold on to what it wants to delete now. */
export const isWrittenBehind = (error: unknown): boolean => isStillReferenced(error)

export type ErasureKind = 'person' | 'brand'

export interface ErasureRow {
  readonly status: 'scheduled' | 'running' | 'done'
  readonly requested_at: string
  readonly due_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}
/** Where the job continues. */
export interface Mark {
  readonly pass: number
  readonly part: string
  readonly position: string
}
export interface RunRow extends ErasureRow, Mark {
  readonly wait_seconds: number
}

type One = { readonly id: number }
type AnyCtx = SystemCtx | BrandCtx

const shown = 'status, requested_at, due_at, started_at, finished_at'

/** People and workspaces are erased alike, each kind with a table of its own: only one of them is under row-level security. */
function statementsOf(table: string, key: string) {
  return {
    find: statement<One, ErasureRow>((p) => sql`select ${shown} from ${table} where ${key} = ${p.id}`),
    // Asking again changes nothing, except that it may become due earlier.
    ask: statement<One & { requested_by: number | null; days: number }, ErasureRow>(
      (p) => sql`insert into ${table} as e (${key}, requested_by, due_at)
       values (${p.id}, ${p.requested_by}, platform.now() + make_interval(days => ${p.days}))
       on conflict (${key}) do update set due_at = least(e.due_at, excluded.due_at)
       returning ${shown}`,
    ),
    callOff: statement<One, unknown>(
      (p) => sql`delete from ${table} where ${key} = ${p.id} and status = 'scheduled'`,
    ),
    findRun: statement<One, RunRow>(
      (p) => sql`select ${shown}, pass, part, position,
         greatest(0, ceil(extract(epoch from wait_until - platform.now())))::int as wait_seconds
       from ${table} where ${key} = ${p.id}`,
    ),
    lockScheduled: statement<One, One>(
      (p) =>
        sql`select ${key} as id from ${table} where ${key} = ${p.id} and status = 'scheduled' for update`,
    ),
    // Two runs of one erasure do no harm, but only one continues.
    move: statement<
      One & Mark & { to_pass: number; to_part: string; to_position: string; wait: number },
      unknown
    >(
      (
        p,
      ) => sql`update ${table} set pass = ${p.to_pass}, part = ${p.to_part}, position = ${p.to_position}, touched_at = platform.now(),
         wait_until = platform.now() + make_interval(secs => ${p.wait})
       where ${key} = ${p.id} and status = 'running' and pass = ${p.pass} and part = ${p.part} and position = ${p.position}`,
    ),
    touchOpen: statement<{ stalled_minutes: number; limit: number }, One>(
      (p) => sql`update ${table} set touched_at = platform.now() where ${key} in (
         select ${key} from ${table}
         where status <> 'done' and due_at <= platform.now()
           and (status = 'scheduled' or touched_at < platform.now() - make_interval(mins => ${p.stalled_minutes}))
         order by touched_at limit ${p.limit} for update skip locked)
       returning ${key} as id`,
    ),
  }
}

const statements = {
  person: statementsOf('identity.person_erasures', 'person_id'),
  brand: statementsOf('identity.brand_erasures', 'brand_id'),
}

export const findErasure = (ctx: AnyCtx, kind: ErasureKind, id: number) =>
  ctx.db.first(statements[kind].find, { id })
export const insertErasure = (
  ctx: AnyCtx,
  kind: ErasureKind,
  asked: { id: number; requested_by: number | null; days: number },
) => ctx.db.first(statements[kind].ask, asked)
export const deleteScheduled = (ctx: AnyCtx, kind: ErasureKind, id: number) =>
  ctx.db.run(statements[kind].callOff, { id })
export const findRun = (ctx: SystemCtx, kind: ErasureKind, id: number) =>
  ctx.db.first(statements[kind].findRun, { id })
export const lockScheduled = async (ctx: SystemCtx, kind: ErasureKind, id: number): Promise<boolean> =>
  (await ctx.db.first(statements[kind].lockScheduled, { id })) !== undefined
/** False when another run has gone on meanwhile. */
export const updateMark = async (
  ctx: SystemCtx,
  kind: ErasureKind,
  id: number,
  from: Mark,
  { pass: to_pass, part: to_part, position: to_position, wait = 0 }: Mark & { wait?: number },
): Promise<boolean> => {
  const { pass, part, position } = from
  const moved = { id, pass, part, position, to_pass, to_part, to_position, wait }
  return (await ctx.db.run(statements[kind].move, moved)) > 0
}
/** Erasures to start or to resume. */
export const updateOpen = async (ctx: SystemCtx, kind: ErasureKind, stalled_minutes: number, limit: number) =>
  (await ctx.db.all(statements[kind].touchOpen, { stalled_minutes, limit })).map(({ id }) => id)
