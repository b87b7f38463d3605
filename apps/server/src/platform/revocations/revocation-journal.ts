import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Outside } from '#platform/ctx/outside.ts'
import { sql, statement } from '#platform/db/statement.ts'
import type { Sweep } from '#platform/jobs/sweep.ts'
import type { Storage } from '#platform/storage/storage.ts'

/** What no longer lets anybody in. No secret and no digest of one. */
export type Revocation = z.infer<typeof Revocation>
const Revocation = z.object({
  kind: z.enum(['session', 'token', 'connection', 'desk', 'hook']),
  id: z.string().max(60),
  at: z.iso.datetime(),
})
const Entries = z.object({ entries: z.array(Revocation) })

type Row = Revocation & { readonly number: number }

const folder = 'revocations/'
const limit = 500

const waiting = statement<{ limit: number }, Row>(
  (p) => sql`select id as number, kind, subject as id, revoked_at as at from platform.revocations
   order by id limit ${p.limit}`,
)
const written = statement<{ numbers: readonly number[] }, unknown>(
  (p) => sql`delete from platform.revocations where id = any(${p.numbers}::bigint[])`,
)
const oldest = statement<object, { seconds: number }>(
  () => sql`select extract(epoch from platform.clock_now() - revoked_at)::float8 as seconds
   from platform.revocations order by revoked_at limit 1`,
)
const old = statement<{ days: number; limit: number }, unknown>(
  (p) => sql`delete from platform.revocations where id in (
     select id from platform.revocations where revoked_at < platform.now() - make_interval(days => ${p.days})
     order by revoked_at limit ${p.limit} for update skip locked)`,
)

/**
 * Moves what was noted into objects that are named by the time they are written, and are never written again. Written first
 * and deleted afterwards: a worker that dies in between writes the same entries once more, and so do two workers at a time.
 */
export async function writeJournal(ctx: OutsideSystemCtx, storage: Storage): Promise<void> {
  for (let found = limit; found === limit; ) {
    const rows = await ctx.db.all(waiting, { limit })
    found = rows.length
    if (found === 0) return
    const entries = rows.map(({ kind, id, at }): Revocation => ({ kind, id, at }))
    const bytes = Buffer.from(JSON.stringify({ entries }))
    const key = `${folder}${ctx.now().toISOString()}-${randomUUID()}.json`
    await storage.put(ctx, key, { bytes, content_type: 'application/json' })
    await ctx.faultPoint('revocations.written')
    await ctx.db.run(written, { numbers: rows.map(({ number }) => number) })
  }
}

/** How far the journal lags behind: what is lost with the database now would be let in again. */
export const journalLagSeconds = async (ctx: SystemCtx): Promise<number> =>
  (await ctx.db.first(oldest, {}))?.seconds ?? 0

/** An object is written after its entries, by a clock that may be behind that of the database. */
const skewMs = 3_600_000

/** Objects that are fetched at a time: there may be one for each second, and somebody waits for the end. */
const together = 16

/** What was revoked after a moment, in the order of writing; some of it twice. */
export async function* readJournal(
  outside: Outside,
  storage: Storage,
  since: Date,
): AsyncGenerator<Revocation> {
  let after = folder + new Date(since.getTime() - skewMs).toISOString()
  for (;;) {
    const objects = await storage.list(outside, folder, { after })
    for (let at = 0; at < objects.length; at += together) {
      const found = objects.slice(at, at + together).map(({ key }) => entriesOf(outside, storage, key))
      for (const entry of (await Promise.all(found)).flat())
        if (Date.parse(entry.at) >= since.getTime()) yield entry
    }
    const last = objects.at(-1)
    if (!last) return
    after = last.key
  }
}

async function entriesOf(outside: Outside, storage: Storage, key: string): Promise<Revocation[]> {
  const object = await storage.find(outside, key)
  if (!object) throw new Error(`the journal of revocations has lost ${key}`)
  return Entries.parse(JSON.parse(Buffer.from(object.bytes).toString())).entries
}

/** Where there is no storage nothing is journaled. Longer than the retention of backups, with which a journal is of use. */
const days = 90
export const revocationsSweep: Sweep = {
  table: 'platform.revocations',
  bite: (ctx, limit) => ctx.db.run(old, { days, limit }),
}
