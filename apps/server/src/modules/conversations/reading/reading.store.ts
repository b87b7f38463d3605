import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import { type SourceRow, columns as sourceColumns } from '../sources/sources.store.ts'

export interface DueReading {
  readonly brand_id: number
  readonly source_id: string
}
/** A source that one worker has to itself until its lease ends. */
export interface Reading extends SourceRow {
  readonly position: string
  /** What it writes counts only while the source has this one. */
  readonly epoch: number
  readonly losses: number
}

const isReadable = `enabled and deleted_at is null and reader is not null`

const due = statement<{ readers: readonly string[]; limit: number }, DueReading>(
  (p) => sql`select brand_id, id as source_id from conversations.sources
   where ${isReadable} and reader = any(${p.readers}::text[]) and next_read_at <= platform.now()
   order by next_read_at limit ${p.limit}`,
)
// A lease that nobody has ended belonged to a worker that is gone.
const claim = brandStatement<{ id: string; lease_seconds: number }, Reading>(
  (
    p,
  ) => sql`update conversations.sources set epoch = epoch + 1, losses = losses + (lease_until is not null)::int,
     lease_until = platform.now() + make_interval(secs => ${p.lease_seconds}::int),
     next_read_at = platform.now() + make_interval(secs => ${p.lease_seconds}::int)
   where brand_id = ${p.brand_id} and id = ${p.id} and ${isReadable} and next_read_at <= platform.now()
   returning ${sourceColumns}, position, epoch, losses`,
)
interface Held {
  readonly id: string
  readonly epoch: number
}
const lock = brandStatement<Held, SourceRow>(
  (p) => sql`select ${sourceColumns} from conversations.sources
   where brand_id = ${p.brand_id} and id = ${p.id} and epoch = ${p.epoch} and lease_until is not null
     and ${isReadable} for no key update`,
)
const step = brandStatement<{ id: string; position: string; lease_seconds: number }, unknown>(
  (p) => sql`update conversations.sources set position = ${p.position},
     lease_until = platform.now() + make_interval(secs => ${p.lease_seconds}::int),
     next_read_at = platform.now() + make_interval(secs => ${p.lease_seconds}::int)
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
interface Ended {
  readonly id: string
  readonly wait_seconds: number
  /** Null if the pass has not ended yet. */
  readonly skipped: string | null
}
const end = brandStatement<Ended, unknown>(
  (
    p,
  ) => sql`update conversations.sources set lease_until = null, losses = 0, read_failures = 0, read_reason = null,
     last_read_at = platform.now(), skipped = coalesce(${p.skipped}::jsonb, skipped),
     next_read_at = platform.now() + make_interval(secs => ${p.wait_seconds}::int)
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
interface Failed {
  readonly id: string
  readonly failures: number
  readonly reason: string
  readonly wait_seconds: number
}
const fail = brandStatement<Failed, unknown>(
  (p) => sql`update conversations.sources set lease_until = null, losses = 0, read_failures = ${p.failures},
     read_reason = ${p.reason},
     next_read_at = platform.now() + make_interval(secs => ${p.wait_seconds}::int)
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const pause = brandStatement<{ id: string; told: string }, SourceRow>(
  (p) => sql`update conversations.sources set enabled = false, paused_reason = ${p.told},
     updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${sourceColumns}`,
)

const marks = brandStatement<{ source_id: string; keys: readonly string[] }, { key: string; mark: string }>(
  (p) => sql`select external_id as key, mark from conversations.conversations
   where brand_id = ${p.brand_id} and source_id = ${p.source_id} and external_id = any(${p.keys}::text[])
     and mark is not null`,
)
const mark = brandStatement<{ id: string; mark: string }, unknown>(
  (p) => sql`update conversations.conversations set mark = ${p.mark}
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)

/** Those that wait longest come first. */
export const listDueReadings = (ctx: SystemCtx, readers: readonly string[], limit: number) =>
  ctx.overBrands().db.all(due, { readers, limit })
export const claimReading = (ctx: BrandCtx, id: string, lease_seconds: number) =>
  ctx.db.first(claim, { id, lease_seconds })
/** Nothing when the claim was lost, or the source is paused or deleted. */
export const lockReading = (ctx: BrandTx, { id, epoch }: Held) => ctx.db.first(lock, { id, epoch })
export const updatePosition = (ctx: BrandTx, id: string, position: string, lease_seconds: number) =>
  ctx.db.run(step, { id, position, lease_seconds })
export const updateEnded = (ctx: BrandTx, ended: Ended) => ctx.db.run(end, ended)
export const updateFailed = (ctx: BrandTx, failed: Failed) => ctx.db.run(fail, failed)
export const updatePaused = (ctx: BrandTx, id: string, told: string) => ctx.db.first(pause, { id, told })
export const listMarks = (ctx: BrandCtx, source_id: string, keys: readonly string[]) =>
  ctx.db.all(marks, { source_id, keys })
export const updateMark = (ctx: BrandTx, id: string, value: string) => ctx.db.run(mark, { id, mark: value })
