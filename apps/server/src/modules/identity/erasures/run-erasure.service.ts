import { erase } from '@crewhall/contracts/identity/erasures.ts'
import type { OutsideSystemCtx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import type { ErasedPerson, ErasurePart, Next } from '#platform/erasure/erasure-part.ts'
import { lockStaff } from '../admin/staff.store.ts'
import { digestOf } from '../secrets.ts'
import { updateServicesForgotten } from '../services/services.store.ts'
import * as closing from './closing.store.ts'
import { isLeftAlone, note } from './erasures.service.ts'
import * as store from './erasures.store.ts'

export interface RunDeps {
  /** Erased from the last to the first. */
  readonly parts: readonly ErasurePart[]
  readonly settle_seconds: number
}

interface Order {
  readonly kind: store.ErasureKind
  readonly id: number
}

/** A run hands over to the next one after so long, well before it counts as hung. */
const budgetMs = 5 * 60_000
const stalledMinutes = 20
const startsAtOnce = 100
/** Per run. More than writers that have yet to finish can cause. */
const mostRestarts = 5

/** Every minute: starts what is due and resumes what was abandoned, whatever happened to its job. */
export const beginDue = (ctx: SystemCtx): Promise<void> =>
  ctx.overBrands().tx(async (ctx) => {
    for (const kind of ['person', 'brand'] as const)
      for (const id of await store.updateOpen(ctx, kind, stalledMinutes, startsAtOnce))
        await ctx.enqueue(erase, { kind, id })
  })

/**
 * First closes the person or workspace, so that it can neither be accessed nor found. Then runs every part. Requests that
 * started before may still write: for a person the job waits for them, and for a workspace it runs every part twice.
 * A row they add behind the mark may refer to one that is deleted later, so the pass then restarts from its first part.
 */
export async function runErasure(
  ctx: OutsideSystemCtx,
  deps: RunDeps,
  order: Order,
  signal: AbortSignal,
): Promise<void> {
  const { kind, id } = order
  const all = ctx.overBrands()
  const until = ctx.now().getTime() + budgetMs
  let row = await store.findRun(all, kind, id)
  if (row?.status === 'scheduled' && (await close(all, deps, order))) row = await store.findRun(all, kind, id)
  if (row?.status !== 'running') return
  if (row.wait_seconds > 0) return again(all, order, row.wait_seconds)
  const take = await biterOf(ctx, order)
  let mark: store.Mark = { pass: row.pass, part: row.part, position: row.position }
  let restarts = 0
  while (!signal.aborted) {
    if (ctx.now().getTime() >= until) return again(all, order, 0)
    const part = deps.parts.findLast((each) => mark.part === '' || each.part === mark.part)
    if (!part) throw new Error(`an erasure stands at ${mark.part}, which there is not`)
    const next = await take(part, mark.position).catch((error: unknown) => {
      if (!store.isWrittenBehind(error) || ++restarts > mostRestarts) throw error
      return restart
    })
    await ctx.faultPoint(`identity.erase-${kind}`)
    if (typeof next === 'object') return again(all, order, next.wait_seconds)
    const to = typeof next === 'symbol' ? firstPart(mark.pass) : markAfter(deps, part, mark, next)
    if (to === undefined) return finish(all, order)
    const wait = to.pass === mark.pass ? 0 : deps.settle_seconds
    // Another run continues it.
    if (!(await store.updateMark(all, kind, id, mark, { ...to, wait }))) return
    if (wait > 0) return again(all, order, wait)
    mark = { pass: to.pass, part: to.part, position: to.position }
  }
  // Not done: the queue gives it to the next run.
  signal.throwIfAborted()
}

const restart = Symbol('restart')
const firstPart = (pass: number): store.Mark => ({ pass, part: '', position: '' })

function markAfter(
  { parts }: RunDeps,
  part: ErasurePart,
  { pass }: store.Mark,
  position: string | undefined,
): store.Mark | undefined {
  if (position !== undefined) return { pass, part: part.part, position }
  const next = parts[parts.indexOf(part) - 1]
  if (next) return { pass, part: next.part, position: '' }
  return pass === 0 ? firstPart(1) : undefined
}

const again = (ctx: SystemCtx, order: Order, seconds: number): Promise<void> =>
  ctx.tx((ctx) => ctx.enqueue(erase, order, { run_at: new Date(ctx.now().getTime() + seconds * 1000) }))

type Bite = (part: ErasurePart, position: string) => Promise<Next>

async function biterOf(ctx: OutsideSystemCtx, { kind, id }: Order): Promise<Bite> {
  if (kind === 'brand') {
    const brand = ctx.forBrand(id)
    return async (part, position) => part.brand?.(brand, position)
  }
  const found = await closing.findKnown(ctx, id)
  if (!found) throw new Error('an erasure that runs does not know what to look for')
  const person = { ...(found.known as Omit<ErasedPerson, 'id' | 'until'>), id, until: found.started_at }
  return async (part, position) => part.person?.(ctx, person, position)
}

/** Returns whether it has begun. */
async function close(ctx: SystemCtx, deps: RunDeps, { kind, id }: Order): Promise<boolean> {
  if (kind === 'person') return closePerson(ctx, deps, id)
  return ctx.tx(async (ctx) => {
    if (!(await store.lockScheduled(ctx, 'brand', id))) return false
    await closeBrand(ctx, id)
    return true
  })
}

async function closeBrand(ctx: SystemTx, brand_id: number): Promise<void> {
  await closing.lockLiveBrand(ctx, brand_id)
  await closing.updateBrandClosed(ctx, brand_id)
  await note(ctx, 'brand', brand_id, 'erasure_started')
}

async function closePerson(ctx: SystemCtx, { parts, settle_seconds }: RunDeps, id: number): Promise<boolean> {
  const more = await Promise.all(parts.map((part) => part.addressesOf?.(ctx, id) ?? []))
  return ctx.tx(async (ctx) => {
    // In the order in which others lock them: staff, the person, workspaces.
    const staff = (await closing.findLivePerson(ctx, id))?.is_staff ? await lockStaff(ctx) : []
    const person = await closing.lockPerson(ctx, id)
    if (!(await store.lockScheduled(ctx, 'person', id)) || !person) return false
    await closing.lockAdministered(ctx, id)
    const administered = await closing.listAdministered(ctx, id)
    // The situation has changed since the request: the erasure waits and reports for what.
    if (administered.some(isLeftAlone) || (person.is_staff && staff.length === 1)) return false
    const brand_ids = await closing.listBrandsOf(ctx, id)
    for (const { brand_id } of administered.filter(({ other_members }) => other_members === 0)) {
      await store.insertErasure(ctx, 'brand', { id: brand_id, requested_by: id, days: 0 })
      await closeBrand(ctx, brand_id)
      await ctx.enqueue(erase, { kind: 'brand', id: brand_id })
    }
    const proven = person.email_verified ? [person.email] : []
    const addresses = [...new Set([...proven, ...more.flat()])].map((each) => each.toLowerCase())
    const known = { addresses, brand_ids }
    await closing.updatePersonClosed(ctx, id, { known, settle_seconds })
    await note(ctx, 'person', id, 'erasure_started')
    return true
  })
}

const finish = (ctx: SystemCtx, { kind, id }: Order): Promise<void> =>
  ctx.tx(async (ctx) => {
    const done = kind === 'person' ? closing.updatePersonDone : closing.updateBrandDone
    if ((await done(ctx, id)) > 0) await note(ctx, kind, id, 'erased')
  })

const bite = 1000

/** What this module itself still holds when all others are done. */
export const identityErasure: ErasurePart = {
  part: 'identity',
  async person(ctx, { id, addresses }) {
    await closing.deleteTriesOf(ctx, addresses.map(digestOf))
    // Also of a sign-in that had begun before.
    await closing.deleteCredentials(ctx.overBrands(), id)
    await closing.deleteMembershipsOf(ctx.overBrands(), id)
    return (await closing.updateEntriesRedacted(ctx, id, bite)) === bite ? 'more' : undefined
  },
  async brand(ctx) {
    // Memberships tell whose services they were.
    if ((await updateServicesForgotten(ctx, bite)) === bite) return 'more'
    for (const rows of closing.rowsOfBrand)
      if ((await ctx.db.run(rows, { limit: bite })) === bite) return 'more'
    return undefined
  },
}
