import pg from 'pg'
import { systemCtx } from '#platform/ctx/ctx.ts'
import { findWrongValues } from '#platform/db/derived.ts'
import { type Revocation, readJournal } from '#platform/revocations/revocation-journal.ts'
import { checkObjects } from './check-objects.ts'
import { checkPages } from './check-pages.ts'
import type { Config } from './config.ts'
import { checkInvariants } from './invariants.ts'
import { derivedTables } from './modules.ts'
import { createParts, type Parts } from './parts.ts'

export interface RestoreOrder {
  readonly to: Date
  /** The operator has run `pg_amcheck` themselves. */
  readonly without_amcheck: boolean
  tell(line: string): void
}

/** Why nothing was done. */
export class NotRestored extends Error {}

/**
 * Makes a database that was just put back to an earlier moment fit to be served: what was ended since stays ended, nobody who
 * is remembered gets in, places of readers are void, nothing goes out. Then it is checked. That order, so that nothing is open
 * when a check finds damage. Safe to run again. Returns whether all checks passed.
 */
export async function runRestore(config: Config, order: RestoreOrder): Promise<boolean> {
  const owner = config.DATABASE_OWNER_URL ?? config.DATABASE_DIRECT_URL ?? config.DATABASE_URL
  const asOwner = {
    ...config,
    DATABASE_URL: owner,
    DATABASE_DIRECT_URL: undefined,
    LOG_LEVEL: 'error',
  } as const
  const parts = await createParts(asOwner, 'admin')
  const client = new pg.Client({ connectionString: owner, application_name: 'crewhall-admin' })
  await client.connect()
  try {
    await client.query(`select set_config('app.system', 'on', false), set_config('TimeZone', 'UTC', false)`)
    await refuseUnfit(client, parts, order.to)
    await close(client, parts, order)
    return await check(client, parts, order)
  } finally {
    await client.end()
    await parts.close()
  }
}

const ctxOf = (parts: Parts) => systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'restore' })

async function refuseUnfit(client: pg.Client, { storage }: Parts, to: Date): Promise<void> {
  const { rows } = await client.query<{ in_recovery: boolean; busy: string | null; newest: string | null }>(
    `select pg_is_in_recovery() as in_recovery,
       (select string_agg(distinct application_name, ', ') from pg_stat_activity
        where datname = current_database() and application_name like 'crewhall-%'
          and application_name !~ '^crewhall-(admin|jobs-sender)') as busy,
       greatest((select max(last_activity_at) from boards.boards), (select max(last_at) from platform.audit_marks),
         (select max(last_at) from platform.event_marks))::text as newest`,
  )
  const [found] = rows
  if (!found) throw new Error('a select without a row')
  if (found.in_recovery) throw new NotRestored('the database is still in recovery; promote it first')
  if (found.busy) throw new NotRestored(`stop the product first: ${found.busy} are connected`)
  // Entries carry the time of their statement, and the commit that the target counts comes after it.
  if (found.newest && Date.parse(found.newest) > to.getTime())
    throw new NotRestored(
      `the database has entries of ${found.newest}: it was not restored to ${to.toISOString()}, or has been served since`,
    )
  if (!storage.is_configured)
    throw new NotRestored('without S3_ENDPOINT there is no journal to end sessions and tokens from')
}

/** Higher than any number of changes between the restored moment and the loss. */
const leap = 1_000_000

async function close(client: pg.Client, parts: Parts, { to, tell }: RestoreOrder): Promise<void> {
  // Read before the transaction: nothing slow inside.
  const journal = await Array.fromAsync(readJournal(ctxOf(parts), parts.storage, to))
  await client.query('begin')
  const ended = await endAll(client, journal)
  const { rows } = await client.query<{ number: number; is_new: boolean }>(beginTimeline, [to.toISOString()])
  const timeline = rows[0] ?? (await client.query<{ number: number }>(currentTimeline)).rows[0]
  await client.query('update identity.brands set auth_epoch = auth_epoch + $1', [leap])
  await client.query('update identity.sessions set version = version + 1')
  await client.query('commit')
  tell(`journal: ${journal.length} entries since ${to.toISOString()}`)
  tell(`ended: ${ended.sessions} sessions, ${ended.tokens} tokens, ${ended.desks} keys of desks`)
  tell(`timeline: ${timeline?.number}; readers start again`)
  tell('held: webhooks and mail, until crewhall-admin release')
}

const beginTimeline = `insert into platform.timelines (number, restored_to, began_at)
 select number + 1, $1::timestamptz, platform.now() from platform.timelines t
 where number = (select max(number) from platform.timelines)
   and not (released_at is null and restored_to is not distinct from $1::timestamptz)
 returning number`
const currentTimeline = 'select max(number) as number from platform.timelines'

async function endAll(client: pg.Client, journal: readonly Revocation[]) {
  const idsOf = (...kinds: Revocation['kind'][]) => [
    ...new Set(journal.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id)),
  ]
  const count = async (text: string, ids: readonly string[]) =>
    (await client.query(text, [ids])).rowCount ?? 0
  return {
    sessions: await count('delete from identity.sessions where id = any($1::int[])', idsOf('session')),
    // With all that they have issued, as when one is revoked.
    tokens: await count(
      `with recursive branch as (
         select brand_id, id from identity.tokens where id = any($1::uuid[])
         union select t.brand_id, t.id from identity.tokens t
         join branch b on t.brand_id = b.brand_id and t.issued_by = b.id)
       update identity.tokens t set revoked_at = platform.now() from branch b
       where t.brand_id = b.brand_id and t.id = b.id and t.revoked_at is null`,
      idsOf('token', 'connection'),
    ),
    desks: await count(
      `update fleet.desk_keys set released_at = platform.now()
       where desk_id = any($1::uuid[]) and released_at is null`,
      idsOf('desk'),
    ),
  }
}

async function check(client: pg.Client, parts: Parts, order: RestoreOrder): Promise<boolean> {
  const { tell } = order
  const checks = {
    pages: () => checkAllPages(client, order),
    'verify-data': () => checkDerived(parts, tell),
    invariants: () => checkAllInvariants(client, tell),
    objects: () => checkAllObjects(client, parts, tell),
  }
  const seconds: string[] = []
  let areSound = true
  for (const [name, run] of Object.entries(checks)) {
    const began = performance.now()
    if (!(await run())) areSound = false
    seconds.push(`${name} ${((performance.now() - began) / 1000).toFixed(1)} s`)
  }
  tell(`took: ${seconds.join(', ')}`)
  return areSound
}

async function checkAllPages(client: pg.Client, { without_amcheck, tell }: RestoreOrder): Promise<boolean> {
  if (without_amcheck) {
    tell('pages: left to you')
    return true
  }
  const pages = await checkPages(client)
  if (!pages) {
    tell('pages: NOT CHECKED; the role may not use amcheck. Run pg_amcheck, then this with --without-amcheck')
    return false
  }
  for (const fault of pages.faults) tell(`pages: ${fault}`)
  tell(`pages: ${pages.tables} tables and ${pages.indexes} indexes, ${pages.faults.length} faults`)
  return pages.faults.length === 0
}

async function checkDerived(parts: Parts, tell: RestoreOrder['tell']): Promise<boolean> {
  let wrong = 0
  for await (const { column, brand_id, id } of findWrongValues(ctxOf(parts).overBrands().db, derivedTables)) {
    wrong += 1
    if (wrong <= 20) tell(`verify-data: ${column} of ${id} (brand ${brand_id}) is wrong`)
  }
  tell(`verify-data: ${wrong} wrong values`)
  return wrong === 0
}

async function checkAllInvariants(client: pg.Client, tell: RestoreOrder['tell']): Promise<boolean> {
  let isSound = true
  for await (const { id, claim, broken } of checkInvariants(client)) {
    const said = broken === undefined ? 'not checked here' : broken.length === 0 ? 'holds' : 'BROKEN'
    tell(`invariant ${id}: ${said}: ${claim}`)
    for (const what of broken ?? []) tell(`  ${what}`)
    if (broken?.length) isSound = false
  }
  return isSound
}

/** I8, which is mended where it can be. */
async function checkAllObjects(
  client: pg.Client,
  parts: Parts,
  tell: RestoreOrder['tell'],
): Promise<boolean> {
  const claim = 'every file and picture that a row names is there'
  const found = await checkObjects(client, ctxOf(parts), parts.storage)
  if (!found) {
    tell(`invariant I8: not checked here, because no storage is configured: ${claim}`)
    return true
  }
  const { named, brought_back, faults, shown } = found
  tell(`objects: ${named} named by rows, ${brought_back} brought back from older versions`)
  tell(`invariant I8: ${faults === 0 ? 'holds' : `BROKEN ${faults} times`}: ${claim}`)
  for (const what of shown) tell(`  ${what}`)
  return faults === 0
}
