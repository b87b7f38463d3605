import pg from 'pg'
import { systemCtx } from '#platform/ctx/ctx.ts'
import { type Revocation, readJournal } from '#platform/revocations/revocation-journal.ts'
import type { Parts } from './parts.ts'
import { journalSince, refusedMoment } from './restore-moment.rules.ts'

/** Why nothing was done. */
export class NotRestored extends Error {}

/** In words, with what lies behind it: a storage that refuses says why only there. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message} (${reasonOf(error.cause)})`
}

/** What a restore to an earlier moment must not bring back is ended, and nothing goes out. All of it or nothing. */
export async function closeRestored(
  client: pg.Client,
  parts: Parts,
  { to, tell }: { readonly to: Date; tell(line: string): void },
): Promise<void> {
  const { newest } = await refuseUnfit(client, parts, to)
  const since = journalSince(to, newest)
  // Read before the transaction: nothing slow inside.
  const ctx = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'restore' })
  const { entries, revoked } = await gather(readJournal(ctx, parts.storage, since))
  await client.query('begin')
  const ended = await endAll(client, revoked)
  const { rows } = await client.query<Numbered>(beginTimeline, [to.toISOString()])
  const timeline = (rows[0] ?? (await client.query<Numbered>(currentTimeline)).rows[0])?.number ?? 1
  await raiseEpochs(client, timeline)
  // Somebody may have started it while the journal was read.
  await refuseBusy(client)
  await commit(client)
  tell(`journal: ${entries} entries since ${since.toISOString()}`)
  tell(`ended: ${ended.sessions} sessions, ${ended.tokens} tokens, ${ended.desks} keys of desks`)
  tell(`timeline: ${timeline}; readers start again`)
  tell('held: webhooks and mail, until crewhall-admin release')
}

async function commit(client: pg.Client): Promise<void> {
  try {
    await client.query('commit')
  } catch (error) {
    if (error instanceof pg.DatabaseError) throw error
    throw new NotRestored(
      `that is not sure, for nothing answered the commit (${reasonOf(error)}); run it again`,
    )
  }
}

interface Numbered {
  readonly number: number
}

interface Found {
  readonly in_recovery: boolean
  readonly newest_ms: number | null
}

async function refuseUnfit(
  client: pg.Client,
  { storage }: Parts,
  to: Date,
): Promise<{ newest: Date | undefined }> {
  const target = await findTarget(client)
  await client.query(`select set_config('app.system', 'on', false), set_config('TimeZone', 'UTC', false)`)
  const { rows } = await client.query<Found>(
    `select pg_is_in_recovery() as in_recovery,
       floor(extract(epoch from greatest((select max(last_activity_at) from boards.boards),
         (select max(last_at) from platform.audit_marks), (select max(last_at) from platform.event_marks))) * 1000)::float8
         as newest_ms`,
  )
  const [found] = rows
  if (!found) throw new Error('a select without a row')
  if (found.in_recovery) throw new NotRestored('the database is still in recovery; promote it first')
  await refuseBusy(client)
  const newest = found.newest_ms === null ? undefined : new Date(found.newest_ms)
  const refused = refusedMoment(to, { newest, target })
  if (refused !== undefined) throw new NotRestored(refused)
  if (!storage.is_configured)
    throw new NotRestored('without S3_ENDPOINT there is no journal to end sessions and tokens from')
  return { newest }
}

async function refuseBusy(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ busy: string | null }>(
    `select string_agg(distinct application_name, ', ') as busy from pg_stat_activity
     where datname = current_database() and application_name like 'crewhall-%'
       and application_name !~ '^crewhall-(admin|jobs-sender)'`,
  )
  const busy = rows[0]?.busy
  if (busy) throw new NotRestored(`stop the product first: ${busy} are connected`)
}

/** What the recovery was told, if by time. Without a zone it was in that of the server, which is asked before ours is set. */
async function findTarget(client: pg.Client): Promise<Date | undefined> {
  const { rows } = await client.query<{ target_ms: number | null }>(
    `select floor(extract(epoch from nullif(current_setting('recovery_target_time', true), '')::timestamptz) * 1000)::float8
       as target_ms`,
  )
  const ms = rows[0]?.target_ms ?? undefined
  return ms === undefined ? undefined : new Date(ms)
}

/**
 * By the clock, and not by what the restored database knows: one that is restored twice, the second time to an earlier moment,
 * has forgotten the number that the first time gave out. In seconds since a year that leaves room until 2094.
 */
const beginTimeline = `insert into platform.timelines (number, restored_to, began_at)
 select greatest(number + 1, extract(epoch from platform.clock_now() - timestamptz '2026-01-01 00:00:00Z')::int),
   $1::timestamptz, platform.now()
 from platform.timelines t
 where number = (select max(number) from platform.timelines)
   and not (released_at is null and restored_to is not distinct from $1::timestamptz)
 returning number`
const currentTimeline = 'select max(number) as number from platform.timelines'

/** Higher than any number of changes within a second, or between the restored moment and the loss. */
const leap = 1_000_000

/** Above all that were ever given out, on other timelines too: what is remembered of a caller names one of them. */
async function raiseEpochs(client: pg.Client, timeline: number): Promise<void> {
  await client.query('update identity.brands set auth_epoch = greatest(auth_epoch, $2::bigint * $1) + $1', [
    leap,
    timeline,
  ])
  await client.query('update identity.sessions set version = greatest(version, $1) + 1', [timeline])
}

type Revoked = Readonly<Record<Revocation['kind'], ReadonlySet<string>>>

/** Ids alone: a journal of weeks names many of them again and again. */
async function gather(journal: AsyncIterable<Revocation>) {
  const revoked = {
    session: new Set<string>(),
    token: new Set<string>(),
    connection: new Set<string>(),
    desk: new Set<string>(),
  }
  let entries = 0
  for await (const { kind, id } of journal) {
    entries += 1
    revoked[kind].add(id)
  }
  return { entries, revoked }
}

async function endAll(client: pg.Client, revoked: Revoked) {
  const count = async (text: string, ids: Iterable<string>) =>
    (await client.query(text, [[...ids]])).rowCount ?? 0
  return {
    sessions: await count('delete from identity.sessions where id = any($1::int[])', revoked.session),
    // With all that they have issued, as when one is revoked.
    tokens: await count(
      `with recursive branch as (
         select brand_id, id from identity.tokens where id = any($1::uuid[])
         union select t.brand_id, t.id from identity.tokens t
         join branch b on t.brand_id = b.brand_id and t.issued_by = b.id)
       update identity.tokens t set revoked_at = platform.now() from branch b
       where t.brand_id = b.brand_id and t.id = b.id and t.revoked_at is null`,
      revoked.token.union(revoked.connection),
    ),
    desks: await count(
      `update fleet.desk_keys set released_at = platform.now()
       where desk_id = any($1::uuid[]) and released_at is null`,
      revoked.desk,
    ),
  }
}
