import { isAttached, oldestAttached } from '#modules/code-index'
import { findHiredDesk, orderHiredDesk } from '#modules/fleet'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { runtimeOf } from './desk.rules.ts'
import { findEarlierDesk } from './desks.store.ts'
import type { HireableRow } from './employees.store.ts'
import { updateDeskOfHire } from './hires.store.ts'

interface BuilderHire {
  readonly id: string
  readonly profile_id: string
  /** As asked for. */
  readonly project_id: string | undefined
  readonly employee: HireableRow
}

/**
 * HIRE-19: one desk for a builder, with the repository it works on: what was asked for, that of the hire before, or the
 * oldest one. The desk of the hire before is taken over if nobody else has it. Emits and audits.
 */
export async function giveDesk(
  ctx: BrandTx,
  { id, profile_id, project_id: wanted, employee }: BuilderHire,
): Promise<void> {
  const before = await findEarlierDesk(ctx, profile_id, id)
  const known = before?.project_id ?? null
  const kept = known !== null && (await isAttached(ctx, known)) ? known : undefined
  const project_id = wanted ?? kept ?? (await oldestAttached(ctx)) ?? null
  const free = before?.free_desk_id ?? null
  const isThere = free !== null && (await findHiredDesk(ctx, free)) !== undefined
  const order = { name: employee.name, runtime: runtimeOf(employee.coder_profile ?? ''), project_id }
  const desk_id = isThere ? free : await orderHiredDesk(ctx, order)
  await updateDeskOfHire(ctx, id, { desk_id, project_id })
}
