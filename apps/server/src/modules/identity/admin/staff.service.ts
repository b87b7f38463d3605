import type { Staff } from '@crewhall/contracts/identity/admin.ts'
import {
  addressUnproven,
  lastStaff,
  personNotFound,
  platformAdminRequired,
} from '@crewhall/contracts/identity/refusals.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { takeOver } from '../email-proofs/email-proofs.service.ts'
import type { NewPerson } from '../identity.ports.ts'
import { hashPassword } from '../passwords/password-hash.ts'
import { createPerson } from '../people/new-people.service.ts'
import { notePlatform } from '../platform-audit/platform-audit.service.ts'
import { deleteSessionsByPerson, updatePassword } from '../sessions/sessions.store.ts'
import * as store from './staff.store.ts'

/** An unconfirmed address may belong to someone else, whom the operator has in mind. */
export const appointStaff = (ctx: SystemCtx, person_id: number): Promise<Staff> =>
  ctx.overBrands().tx(async (ctx) => {
    const staff = await store.lockStaff(ctx)
    const person = await store.lockPerson(ctx, person_id)
    if (person && !person.email_verified && !staff.includes(person_id)) throw addressUnproven()
    const appointed = presentStaff(await store.updateStaff(ctx, person_id, true))
    if (!staff.includes(person_id)) await notePlatform(ctx, { action: 'staff.appointed', person_id })
    return appointed
  })

/** Locks all staff before counting them: two concurrent removals would each still see the other. */
export const dismissStaff = (ctx: SystemCtx, person_id: number): Promise<Staff> =>
  ctx.overBrands().tx(async (ctx) => {
    const staff = await store.lockStaff(ctx)
    // A caller who lost this right while waiting for the lock must not use it.
    if (ctx.actor.kind === 'person' && !staff.includes(ctx.actor.person_id)) throw platformAdminRequired()
    if (staff.includes(person_id) && staff.length === 1) throw lastStaff()
    const dismissed = presentStaff(await store.updateStaff(ctx, person_id, false))
    if (staff.includes(person_id)) await notePlatform(ctx, { action: 'staff.dismissed', person_id })
    return dismissed
  })

function presentStaff(row: { id: number; is_staff: boolean } | undefined): Staff {
  if (!row) throw personNotFound()
  return { person_id: row.id, is_staff: row.is_staff }
}

export interface FirstStaff {
  readonly email: string
  readonly full_name: string
  readonly password: string
}

/**
 * For the operator of a new installation. An existing person with a confirmed address keeps their password; an account
 * with an unconfirmed address may be anyone's, so its password is replaced and the operator passes on the new one.
 */
export async function ensureStaff(ctx: SystemCtx, new_people: readonly NewPerson[], given: FirstStaff) {
  const hash = await hashPassword(given.password)
  return ctx.overBrands().tx(async (ctx) => {
    const known = await store.findPersonByEmail(ctx, given.email)
    const person_id = known?.id ?? (await createPerson(ctx, new_people, given))
    const has_new_password = known?.email_verified !== true
    if (has_new_password) {
      await updatePassword(ctx, person_id, hash)
      await deleteSessionsByPerson(ctx, person_id)
      await takeOver(ctx, person_id)
    }
    const staff = await store.lockStaff(ctx)
    await store.updateStaff(ctx, person_id, true)
    if (!staff.includes(person_id)) await notePlatform(ctx, { action: 'staff.appointed', person_id })
    return { person_id, created: known === undefined, has_new_password }
  })
}
