import { type Erasure, erase } from '@crewhall/contracts/identity/erasures.ts'
import {
  brandNotFound,
  erasureBegun,
  lastAdminErased,
  lastStaff,
  nameNotRight,
  notAuthenticated,
  passwordNotRight,
  personNotFound,
} from '@crewhall/contracts/identity/refusals.ts'
import type { BrandCtx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { isPassword } from '../passwords/password-hash.ts'
import { notePlatform } from '../platform-audit/platform-audit.service.ts'
import { findPasswordByEmail } from '../sessions/sessions.store.ts'
import { admitSignIn, type TryLimits } from '../sessions/sign-in-limits.service.ts'
import * as people from './closing.store.ts'
import * as store from './erasures.store.ts'

export interface ErasureDeps extends TryLimits {
  readonly grace_days: number
}

interface Told {
  readonly erasure: Erasure | null
}

/** Workspaces that would be left without an admin. One without any other member is theirs alone, and goes with them. */
export const isLeftAlone = ({ other_admins, other_members }: people.Administered): boolean =>
  other_admins === 0 && other_members > 0

export async function askToEraseMe(
  ctx: SystemCtx,
  deps: ErasureDeps,
  network: string,
  password: string,
): Promise<Told> {
  const person_id = personOf(ctx)
  const person = await people.findLivePerson(ctx, person_id)
  if (!person) throw notAuthenticated()
  // An unattended session must not be enough, nor a way to guess passwords.
  const admitted = await admitSignIn(ctx, deps, network, person.email)
  const found = await findPasswordByEmail(ctx, person.email)
  if (!found || !(await isPassword(password, found.password_hash))) throw passwordNotRight()
  await admitted.forgive()
  return schedulePerson(ctx, person_id, deps.grace_days)
}

/** By staff, for another person, without a grace period. */
export const askToErasePerson = (ctx: SystemCtx, person_id: number): Promise<Told> =>
  schedulePerson(ctx, person_id, 0)

const schedulePerson = (ctx: SystemCtx, person_id: number, days: number): Promise<Told> =>
  ctx.overBrands().tx(async (ctx) => {
    const before = await store.findErasure(ctx, 'person', person_id)
    if (before && before.status !== 'scheduled') return { erasure: present(before) }
    const person = await people.findLivePerson(ctx, person_id)
    if (!person) throw personNotFound()
    await refuseNeeded(ctx, person_id, person.is_staff)
    return schedule(ctx, 'person', person_id, days)
  })

async function refuseNeeded(ctx: SystemTx, person_id: number, is_staff: boolean): Promise<void> {
  if (is_staff && (await people.countOtherStaff(ctx, person_id)) === 0) throw lastStaff()
  const alone = (await people.listAdministered(ctx, person_id)).filter(isLeftAlone)
  if (alone.length > 0) throw lastAdminErased(alone.slice(0, 10).map(({ name }) => name))
}

export const askToEraseBrand = (ctx: BrandCtx, deps: ErasureDeps, name: string): Promise<Told> =>
  ctx.tx(async (ctx) => {
    if ((await people.findOwnName(ctx)) !== name.trim()) throw nameNotRight()
    const requested_by = ctx.actor.kind === 'person' ? ctx.actor.person_id : null
    const asked = { id: ctx.brandId, requested_by, days: deps.grace_days }
    const before = await store.findErasure(ctx, 'brand', ctx.brandId)
    const row = await store.insertErasure(ctx, 'brand', asked)
    if (!row) throw brandNotFound()
    if (!before)
      await ctx.audit({
        action: 'brand.erasure_scheduled',
        target: `brand:${ctx.brandId}`,
        from: null,
        to: { due_at: row.due_at },
      })
    return { erasure: present(row) }
  })

export const askToEraseAnyBrand = (ctx: SystemCtx, brand_id: number): Promise<Told> =>
  ctx.overBrands().tx(async (ctx) => {
    const before = await store.findErasure(ctx, 'brand', brand_id)
    if (before && before.status !== 'scheduled') return { erasure: present(before) }
    if ((await people.findBrandName(ctx, brand_id)) === undefined) throw brandNotFound()
    return schedule(ctx, 'brand', brand_id, 0)
  })

async function schedule(ctx: SystemTx, kind: store.ErasureKind, id: number, days: number): Promise<Told> {
  const requested_by = ctx.actor.kind === 'person' ? ctx.actor.person_id : null
  const row = await store.insertErasure(ctx, kind, { id, requested_by, days })
  await note(ctx, kind, id, 'erasure_scheduled')
  if (days === 0) await ctx.enqueue(erase, { kind, id })
  return { erasure: row ? present(row) : null }
}

/** Ids and no names: these entries stay. */
export async function note(ctx: SystemTx, kind: store.ErasureKind, id: number, what: string): Promise<void> {
  const action = `${kind}.${what}`
  if (kind === 'person') return notePlatform(ctx, { action, person_id: id })
  await notePlatform(ctx, { action, to: { brand_id: id } })
  await ctx.audit(id, { action, target: `brand:${id}`, from: null, to: null })
}

export const getMyErasure = (ctx: SystemCtx): Promise<Told> => tellOfPerson(ctx.overBrands(), personOf(ctx))

export async function getPersonErasure(ctx: SystemCtx, person_id: number): Promise<Told> {
  if (!(await people.hasPerson(ctx, person_id))) throw personNotFound()
  return tellOfPerson(ctx.overBrands(), person_id)
}

async function tellOfPerson(ctx: SystemCtx, person_id: number): Promise<Told> {
  const row = await store.findErasure(ctx, 'person', person_id)
  if (row?.status !== 'scheduled') return { erasure: row ? present(row) : null }
  const alone = (await people.listAdministered(ctx, person_id)).filter(isLeftAlone)
  return {
    erasure: present(
      row,
      alone.slice(0, 100).map(({ brand_id }) => brand_id),
    ),
  }
}

export const getOwnBrandErasure = (ctx: BrandCtx): Promise<Told> => tellOfBrand(ctx, ctx.brandId)

export async function getAnyBrandErasure(ctx: SystemCtx, brand_id: number): Promise<Told> {
  const all = ctx.overBrands()
  if ((await people.findBrandName(all, brand_id)) === undefined) throw brandNotFound()
  return tellOfBrand(all, brand_id)
}

async function tellOfBrand(ctx: SystemCtx | BrandCtx, brand_id: number): Promise<Told> {
  const row = await store.findErasure(ctx, 'brand', brand_id)
  return { erasure: row ? present(row) : null }
}

export const keepMe = (ctx: SystemCtx): Promise<Told> => keep(ctx, 'person', personOf(ctx))

export async function keepPerson(ctx: SystemCtx, person_id: number): Promise<Told> {
  if (!(await people.hasPerson(ctx, person_id))) throw personNotFound()
  return keep(ctx, 'person', person_id)
}

export async function keepAnyBrand(ctx: SystemCtx, brand_id: number): Promise<Told> {
  if ((await people.findBrandName(ctx.overBrands(), brand_id)) === undefined) throw brandNotFound()
  return keep(ctx, 'brand', brand_id)
}

const keep = (ctx: SystemCtx, kind: store.ErasureKind, id: number): Promise<Told> =>
  ctx.overBrands().tx(async (ctx) => {
    if ((await store.deleteScheduled(ctx, kind, id)) > 0) await note(ctx, kind, id, 'erasure_called_off')
    else if (await store.findErasure(ctx, kind, id)) throw erasureBegun()
    return { erasure: null }
  })

export const keepOwnBrand = (ctx: BrandCtx): Promise<Told> =>
  ctx.tx(async (ctx) => {
    const gone = await store.deleteScheduled(ctx, 'brand', ctx.brandId)
    if (gone === 0 && (await store.findErasure(ctx, 'brand', ctx.brandId))) throw erasureBegun()
    const target = `brand:${ctx.brandId}`
    if (gone > 0) await ctx.audit({ action: 'brand.erasure_called_off', target, from: null, to: null })
    return { erasure: null }
  })

const present = (row: store.ErasureRow, waits_for: readonly number[] = []): Erasure => {
  const { status, requested_at, due_at, started_at, finished_at } = row
  return { status, requested_at, due_at, started_at, finished_at, waits_for: [...waits_for] }
}

function personOf({ actor }: SystemCtx): number {
  if (actor.kind !== 'person') throw notAuthenticated()
  return actor.person_id
}
