import { randomUUIDv7 } from 'node:crypto'
import * as refused from '@crewhall/contracts/fleet/refusals.ts'
import { maxMachines, shownUpdates, type UpdateRequest } from '@crewhall/contracts/fleet/updates.ts'
import { notFound } from '@crewhall/contracts/refusal.ts'
import { listPeople } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { namesOf, presentItem, presentRequest, presentUpdate } from './updates.present.ts'
import { refusalOf } from './updates.rules.ts'
import * as store from './updates.store.ts'

/** UPD-G5: requests for one machine take turns, and the later one gets the request that waits. */
export const requestUpdate = (ctx: BrandCtx, machine_id: string): Promise<UpdateRequest> =>
  ctx.tx(async (ctx) => {
    const machine = found(await store.lockMachine(ctx, machine_id))
    const refusal = refusalOf(machine)
    if (refusal) throw refusal
    const waiting = await store.findOpenUpdate(ctx, machine_id)
    const row = waiting ?? found((await queue(ctx, [machine_id], null))[0])
    if (!waiting) await ctx.audit(auditedRequest(machine_id))
    return presentRequest(machine, row, await namesFor(ctx, [row]))
  })

/** UPD-13: what cannot be requested is told, and keeps nobody else from it. */
export const requestUpdates = (ctx: BrandCtx) =>
  ctx.tx(async (ctx) => {
    const machines = await store.lockMachines(ctx, maxMachines + 1)
    if (machines.length > maxMachines) throw refused.tooManyMachines()
    const items = machines.map((machine) => presentItem(machine, refusalOf(machine)))
    const fit = items.filter(({ status }) => status === 'queued')
    const added = await queue(
      ctx,
      fit.map(({ machine_id }) => machine_id),
      randomUUIDv7(),
    )
    if (added.length > 0) await ctx.audit(auditedRequest('all'))
    const queued = fit.length
    return { requests: items, queued, failed: items.length - queued, requested_at: ctx.now().toISOString() }
  })

export async function listUpdates(ctx: BrandCtx, machine_id: string) {
  found(await store.findMachine(ctx, machine_id))
  const rows = await store.listUpdates(ctx, machine_id, shownUpdates)
  const names = await namesFor(ctx, rows)
  return { updates: rows.map((row) => presentUpdate(row, names)) }
}

/** Those of one rollout take turns. */
async function queue(
  ctx: BrandTx,
  desk_ids: readonly string[],
  rollout_id: string | null,
): Promise<store.UpdateRow[]> {
  const { actor } = ctx
  if (actor.kind !== 'person') throw new Error('the contract lets people in only')
  const ids = desk_ids.map(() => randomUUIDv7())
  const rows = await store.insertUpdates(ctx, { ids, desk_ids, rollout_id, requested_by: actor.person_id })
  await store.deleteOldUpdates(
    ctx,
    rows.map(({ desk_id }) => desk_id),
    shownUpdates,
  )
  return rows
}

const auditedRequest = (target: string) => ({
  action: 'desk.update_requested',
  target: `desk:${target}`,
  from: null,
  to: null,
})

const namesFor = async (ctx: BrandCtx, rows: readonly store.UpdateRow[]) =>
  namesOf(
    await listPeople(
      ctx,
      rows.map(({ requested_by }) => requested_by),
    ),
  )

/** UPD-17: a machine of another workspace is refused as one that does not exist. */
function found<T>(row: T | undefined): T {
  if (row === undefined) throw notFound()
  return row
}
