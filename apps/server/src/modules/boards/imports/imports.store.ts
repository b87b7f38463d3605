import type { ImportProblem, importSources, importStates } from '@crewhall/contracts/boards/imports.ts'
import { importBusy } from '@crewhall/contracts/boards/imports.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import type { MappedPerson, MappedState } from './mapping.rules.ts'

/** Who acts while an import runs. */
export interface ImportActor {
  readonly person_id: number
  readonly name: string
  readonly credential_id: string
  readonly agent: string | null
  readonly agent_id: string | null
}

export interface ImportRow {
  readonly id: string
  readonly board_id: string
  readonly source: (typeof importSources)[number]
  readonly file_name: string
  readonly state: (typeof importStates)[number]
  readonly person_id: number | null
  readonly actor: ImportActor | null
  readonly rows_total: number
  readonly rows_done: number
  readonly cards_made: number
  readonly rows_skipped: number
  readonly rows_ignored: number
  readonly problem_count: number
  readonly problems: readonly ImportProblem[]
  readonly people: readonly MappedPerson[]
  readonly states: readonly MappedState[]
  readonly for_agents: boolean
  readonly is_forced: boolean
  readonly cards_removed: number
  readonly kept_count: number
  readonly kept: readonly string[]
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

const columns = `id, board_id, source, file_name, state, person_id, actor, rows_total, rows_done, cards_made, rows_skipped,
  rows_ignored, problem_count, problems, people, states, for_agents, is_forced, cards_removed, kept_count, kept,
  created_at, started_at, finished_at`
type One = { id: string }

const open = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from boards.imports
   where brand_id = ${p.brand_id} and state in ('reading', 'draft', 'running', 'undoing')
     and (rows_total > 0 or state = 'reading')`,
)
const lockAll = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('boards.imports'), ${p.brand_id})`,
)
const add = brandStatement<
  { board_id: string; source: string; file_name: string; person_id: number },
  { id: string }
>(
  (p) => sql`insert into boards.imports (brand_id, board_id, source, file_name, person_id)
   values (${p.brand_id}, ${p.board_id}, ${p.source}, ${p.file_name}, ${p.person_id}) returning id`,
)
const removeDrafts = brandStatement<{ board_id: string; person_id: number }, unknown>(
  (p) => sql`delete from boards.imports
   where brand_id = ${p.brand_id} and board_id = ${p.board_id} and person_id = ${p.person_id} and state = 'draft'`,
)
const find = brandStatement<One, ImportRow>(
  (p) => sql`select ${columns} from boards.imports where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const lock = brandStatement<One, ImportRow>(
  (p) =>
    sql`select ${columns} from boards.imports where brand_id = ${p.brand_id} and id = ${p.id} for update`,
)
const list = brandStatement<{ board_id: string; limit: number; offset: number }, ImportRow>(
  (p) => sql`select ${columns} from boards.imports
   where brand_id = ${p.brand_id} and board_id = ${p.board_id} and state <> 'reading'
   order by created_at desc, id limit ${p.limit} offset ${p.offset}`,
)
const count = brandStatement<{ board_id: string }, { count: number }>(
  (p) => sql`select count(*)::int as count from boards.imports
   where brand_id = ${p.brand_id} and board_id = ${p.board_id} and state <> 'reading'`,
)

/** What a step changes. */
const changing = [
  'state',
  'actor',
  'rows_total',
  'rows_done',
  'cards_made',
  'rows_skipped',
  'rows_ignored',
  'problem_count',
  'problems',
  'people',
  'states',
  'for_agents',
  'is_forced',
  'cards_removed',
  'kept_count',
  'kept',
] as const
const json = new Set<string>(['actor', 'problems', 'people', 'states'])
type Change = Pick<ImportRow, 'id' | (typeof changing)[number]>
type Sent = Record<(typeof changing)[number], unknown> & One
const update = brandStatement<Sent, ImportRow>(
  (
    p,
  ) => sql`update boards.imports set state = ${p.state}, actor = ${p.actor}::jsonb, rows_total = ${p.rows_total},
     rows_done = ${p.rows_done}, cards_made = ${p.cards_made}, rows_skipped = ${p.rows_skipped},
     rows_ignored = ${p.rows_ignored}, problem_count = ${p.problem_count}, problems = ${p.problems}::jsonb,
     people = ${p.people}::jsonb, states = ${p.states}::jsonb, for_agents = ${p.for_agents},
     is_forced = ${p.is_forced}, cards_removed = ${p.cards_removed}, kept_count = ${p.kept_count},
     kept = ${p.kept}::uuid[], updated_at = platform.clock_now(),
     started_at = case when ${p.state} = 'running' then coalesce(started_at, platform.clock_now())
       else started_at end,
     finished_at = case when ${p.state} in ('done', 'failed', 'undone')
       then coalesce(case when state = ${p.state} then finished_at end, platform.clock_now()) end
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
const remove = brandStatement<One, unknown>(
  (p) => sql`delete from boards.imports where brand_id = ${p.brand_id} and id = ${p.id}`,
)

// Over all workspaces, each found by its index.
type Due = { readonly brand_id: number; readonly id: string; readonly state: ImportRow['state'] }
const due = statement<{ limit: number }, Due>(
  (p) => sql`select brand_id, id, state from (
     (select brand_id, id, state, updated_at from boards.imports
      where state in ('running', 'undoing') and updated_at < platform.now() - interval '15 minutes'
      order by updated_at limit ${p.limit})
     union all
     (select brand_id, id, state, updated_at from boards.imports
      where state in ('reading', 'draft') and updated_at < platform.now() - interval '1 day'
      order by updated_at limit ${p.limit})
     union all
     (select brand_id, id, state, updated_at from boards.imports
      where state in ('done', 'failed', 'undone') and updated_at < platform.now() - interval '90 days'
      order by updated_at limit ${p.limit})) d
   order by updated_at`,
)
const disown = statement<{ person_id: number }, unknown>(
  (p) => sql`update boards.imports set person_id = null, actor = null where person_id = ${p.person_id}`,
)
const allOfBrand = deletingRows('boards.imports', 'id')

export const countOpen = async (ctx: BrandTx): Promise<number> => (await ctx.db.first(open, {}))?.count ?? 0
/** Those who add imports come one after the other in a workspace, so that the limit holds. */
export const lockImports = (ctx: BrandTx) => ctx.db.run(lockAll, {})
export const insertImport = (
  ctx: BrandTx,
  made: { board_id: string; source: string; file_name: string; person_id: number },
) => ctx.db.first(add, made)
/** What a person uploaded for a board and did not start. */
export const deleteDrafts = (ctx: BrandTx, at: { board_id: string; person_id: number }) =>
  ctx.db.run(removeDrafts, at)
export const findImport = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const lockImport = (ctx: BrandTx, id: string) => ctx.db.first(lock, { id })
export const listImports = (ctx: BrandCtx, at: { board_id: string; limit: number; offset: number }) =>
  ctx.db.all(list, at)
export const countImports = async (ctx: BrandCtx, board_id: string): Promise<number> =>
  (await ctx.db.first(count, { board_id }))?.count ?? 0
/** Only under its lock. */
export async function updateImport(ctx: BrandTx, change: Change): Promise<ImportRow | undefined> {
  const sent = Object.fromEntries(
    changing.map((name) => [
      name,
      json.has(name) && change[name] !== null ? JSON.stringify(change[name]) : change[name],
    ]),
  )
  try {
    return await ctx.db.first(update, { id: change.id, ...sent } as Sent)
  } catch (error) {
    if (violates(error, 'imports_running')) throw importBusy()
    throw error
  }
}
export const deleteImport = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })
export const listDue = (ctx: SystemCtx, limit: number) => ctx.overBrands().db.all(due, { limit })
export const updatePersonGone = (ctx: SystemCtx, person_id: number) =>
  ctx.overBrands().db.run(disown, { person_id })
export const deleteSomeImports = (ctx: BrandCtx, limit: number) => ctx.db.run(allOfBrand, { limit })
