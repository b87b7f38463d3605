import pg from 'pg'
import { systemCtx } from '#platform/ctx/ctx.ts'
import { readJournal } from '#platform/revocations/revocation-journal.ts'
import { endForgotten, endRevoked, gather } from './end-restored.ts'
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
  const ended = await endRevoked(client, revoked)
  const forgotten = await endForgotten(client)
  const { rows } = await client.query<Numbered>(beginTimeline, [to.toISOString()])
  const timeline = (rows[0] ?? (await client.query<Numbered>(currentTimeline)).rows[0])?.number ?? 1
  await raiseEpochs(client, timeline)
  // Somebody may have started it while the journal was read.
  await refuseBusy(client)
  await commit(client)
  tell(`journal: ${entries} entries since ${since.toISOString()}`)
  for (const what of [
    `${ended.sessions} sessions, ${ended.tokens} tokens, ${ended.desks} keys of desks`,
    `${ended.hooks} secrets of hooks (rotate them), ${forgotten.join_secrets} install commands of desks`,
    `${forgotten.links} links for passwords and addresses, ${forgotten.codes} codes of programs`,
    `${forgotten.invitations} links of invitations (send them again)`,
  ])
    tell(`ended: ${what}`)
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
