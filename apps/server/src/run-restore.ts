import pg from 'pg'
import { systemCtx } from '#platform/ctx/ctx.ts'
import { findWrongValues } from '#platform/db/derived.ts'
import { checkObjects } from './check-objects.ts'
import { checkPages } from './check-pages.ts'
import { closeRestored, NotRestored, reasonOf } from './close-restored.ts'
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
  const client = new pg.Client({ connectionString: owner, application_name: 'crewhall-admin' })
  // Its statements fail as well, and say so; without a listener the process would end before that.
  client.on('error', () => {})
  const parts = await orNothing(createParts(asOwner, 'admin'))
  try {
    await orNothing(client.connect().then(() => closeRestored(client, parts, order)))
    order.tell('closed; checking')
    return await check(client, parts, order)
  } finally {
    // How they end changes nothing that is to be told.
    await Promise.allSettled([client.end(), parts.close()])
  }
}

/** Until it is closed nothing is, whatever the fault. */
async function orNothing<Result>(closing: Promise<Result>): Promise<Result> {
  try {
    return await closing
  } catch (error) {
    throw error instanceof NotRestored ? error : new NotRestored(reasonOf(error), { cause: error })
  }
}

const ctxOf = (parts: Parts) => systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'restore' })

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
