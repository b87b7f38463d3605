import { randomUUIDv7 } from 'node:crypto'
import { projectNotFound } from '@crewhall/contracts/code-index/refusals.ts'
import { buildSteps, onboardingUrl } from '@crewhall/contracts/hires/hires.ts'
import { buildHire } from '@crewhall/contracts/hires/jobs.ts'
import * as refused from '@crewhall/contracts/hires/refusals.ts'
import { Refusal, type RefusalKind } from '@crewhall/contracts/refusal.ts'
import { isAttached } from '#modules/code-index'
import { lockSubscription, type SubscriptionFacts, subscriptionOf } from '#modules/identity'
import type { Actor } from '#platform/ctx/actor.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { giveDesk } from './desks.service.ts'
import { holdEmployee } from './employees.store.ts'
import { auditedHire } from './hires.present.ts'
import * as store from './hires.store.ts'
import * as limits from './limits.store.ts'

interface Order {
  readonly project_id?: string | undefined
}
interface Hired {
  readonly hire_id: string
  readonly status: 'provisioning'
  readonly onboarding_url: string
}

/** What differs between a workspace that hires and an operator who grants. */
interface Way {
  readonly is_grant: boolean
  readonly comp_reason: string | null
  readonly hired_by: number | null
  /** HIRE-09 and HIRE-10. */
  permits(subscription: SubscriptionFacts): boolean
  refuseTooMany(ctx: BrandTx): Promise<void>
  note(ctx: BrandTx, hire_id: string): Promise<void>
}

export const hireEmployee = (ctx: BrandCtx, profile_id: string, order: Order): Promise<Hired> =>
  hire(ctx, profile_id, order, {
    is_grant: false,
    comp_reason: null,
    hired_by: ctx.actor.kind === 'person' ? ctx.actor.person_id : null,
    permits: ({ is_active }) => is_active,
    async refuseTooMany(ctx) {
      refuseFor(await limits.findHireWait(ctx), refused.tooManyHires)
    },
    async note() {},
  })

export async function grantHire(
  ctx: BrandCtx,
  profile_id: string,
  { comp_reason = null, ...order }: Order & { readonly comp_reason?: string | null | undefined },
): Promise<Hired> {
  // HIRE-G4: before anything is said of the employee.
  await subscriptionOf(ctx)
  const admin = nameOf(ctx.actor)
  return hire(ctx, profile_id, order, {
    is_grant: true,
    comp_reason,
    hired_by: null,
    permits: () => true,
    async refuseTooMany(ctx) {
      await limits.lockGrants(ctx, admin)
      refuseFor(await limits.findGrantWait(ctx, admin), refused.tooManyGrants)
    },
    note: (ctx, hire_id) => limits.insertGrant(ctx, admin, hire_id),
  })
}

/** HIRE-16: whoever has the key is one admin. */
const nameOf = (actor: Actor): string => (actor.kind === 'person' ? `person:${actor.person_id}` : actor.kind)

/** HIRE-G3: the order of these refusals is part of the interface. */
const hire = (ctx: BrandCtx, profile_id: string, order: Order, way: Way): Promise<Hired> =>
  ctx.tx(async (ctx) => {
    const employee = await holdEmployee(ctx, profile_id)
    if (!employee) throw refused.employeeNotFound()
    if (order.project_id !== undefined && !(await isAttached(ctx, order.project_id))) throw projectNotFound()
    // All hires of a workspace take turns from here on.
    if (!way.permits(await lockSubscription(ctx))) throw refused.noSubscription()
    const existing = await store.findHeldHire(ctx, profile_id)
    if (existing !== undefined) throw refused.alreadyHired(existing)
    if (!employee.is_deployable) throw refused.notDeployable()
    await way.refuseTooMany(ctx)
    const { version } = employee
    const { is_grant, comp_reason, hired_by } = way
    const id = randomUUIDv7()
    const project_id = order.project_id ?? null
    const isNew = await store.insertHire(ctx, {
      id,
      profile_id,
      version,
      project_id,
      is_grant,
      comp_reason,
      hired_by,
    })
    if (!isNew) throw refused.alreadyHired((await store.findHeldHire(ctx, profile_id)) ?? id)
    await store.insertSteps(ctx, id, buildSteps)
    await way.note(ctx, id)
    await ctx.enqueue(buildHire, { brand_id: ctx.brandId, hire_id: id })
    const status = 'provisioning'
    await ctx.emit({ type: 'hire.requested', subject_id: id, data: { hire_id: id, profile_id, status } })
    // After the event, because it writes to the audit log.
    if (employee.is_builder) await giveDesk(ctx, { id, profile_id, project_id: order.project_id, employee })
    const to = auditedHire({ profile_id, version, status, is_grant, comp_reason })
    await ctx.audit({ action: 'hire.requested', target: `hire:${id}`, from: null, to })
    return { hire_id: id, status, onboarding_url: onboardingUrl(id) }
  })

function refuseFor(wait_seconds: number | undefined, { status, text }: RefusalKind): void {
  if (wait_seconds === undefined) return
  throw new Refusal(status, text, { 'retry-after': String(Math.max(1, wait_seconds)) })
}
