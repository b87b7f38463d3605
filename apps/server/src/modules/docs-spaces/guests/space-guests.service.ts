import { randomUUID } from 'node:crypto'
import {
  docsAccessLimit,
  spaceGuestNotFound,
  spaceNotFound,
} from '@crewhall/contracts/docs-spaces/refusals.ts'
import type { SpaceGuest } from '@crewhall/contracts/docs-spaces/space-guests.ts'
import { personNotFound } from '@crewhall/contracts/identity/refusals.ts'
import { type GuestRole, sendGuestLetter } from '@crewhall/contracts/workspaces/guests.ts'
import { alreadyMember } from '@crewhall/contracts/workspaces/invitations.ts'
import { askForProof, findMembership, holdPersonByEmail, listPeople } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { findSpace, lockSpace } from '../spaces/spaces.store.ts'
import { presentSpaceGuest } from './space-guests.present.ts'
import * as store from './space-guests.store.ts'

/** The list of all guests of a workspace has no pages, so what it can hold is bounded where access is given. */
const maxAccesses = 1000

interface Place {
  readonly space_id: string
  readonly user_id: number
}

export async function listGuestsOf(
  ctx: BrandCtx,
  space_id: string,
  { after = 0, limit }: { after?: number | undefined; limit: number },
): Promise<{ guests: SpaceGuest[]; next_after: number | null }> {
  if (!(await findSpace(ctx, space_id))) throw spaceNotFound()
  const rows = await store.listGuests(ctx, { space_id, after, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const people = await peopleById(ctx, page)
  return {
    guests: page.flatMap((row) => {
      const person = people.get(row.person_id)
      return person ? [presentSpaceGuest(row, person)] : []
    }),
    next_after: rows.length > limit ? (page.at(-1)?.person_id ?? null) : null,
  }
}

export const admitGuest = (
  ctx: BrandCtx,
  space_id: string,
  { email, role }: { readonly email: string; readonly role: GuestRole },
): Promise<SpaceGuest> =>
  ctx.tx(async (ctx) => {
    // First of all, as whoever becomes a member is held before their access is taken.
    const person = await holdPersonByEmail(ctx, email)
    await store.lockGuests(ctx)
    const space = await lockSpace(ctx, space_id)
    if (!space) throw spaceNotFound()
    if (!person) throw personNotFound()
    if (await findMembership(ctx, person.id)) throw alreadyMember()
    if ((await store.countAccess(ctx)) >= maxAccesses) throw docsAccessLimit()
    const row = await store.insertGuest(ctx, { space_id, person_id: person.id, role })
    if (!row) throw spaceNotFound()
    // Nothing can be opened until the address is proven (S1).
    if (!person.email_verified) await askForProof(ctx, person.id)
    await auditGuest(ctx, 'added', { space_id, user_id: person.id }, { from: null, to: role })
    await tellGuest(ctx, person.id, space_id)
    return presentSpaceGuest(row, person)
  })

const tellGuest = (ctx: BrandTx, person_id: number, resource_id: string) =>
  ctx.enqueue(sendGuestLetter, {
    brand_id: ctx.brandId,
    person_id,
    inviter_id: ctx.actor.kind === 'person' ? ctx.actor.person_id : null,
    kind: 'docs',
    resource_id,
    letter_id: randomUUID(),
  })

export const changeGuest = (ctx: BrandCtx, place: Place, role: GuestRole): Promise<SpaceGuest> =>
  ctx.tx(async (ctx) => {
    const { space_id, user_id: person_id } = place
    const row = await store.lockGuest(ctx, { space_id, person_id })
    const person = row && (await peopleById(ctx, [row])).get(person_id)
    if (!row || !person) throw spaceGuestNotFound()
    if (row.role !== role) {
      await store.updateRole(ctx, { space_id, person_id, role })
      await auditGuest(ctx, 'changed', place, { from: row.role, to: role })
    }
    return presentSpaceGuest({ ...row, role }, person)
  })

export const dismissGuest = (ctx: BrandCtx, place: Place): Promise<void> =>
  ctx.tx(async (ctx) => {
    const gone = await store.deleteGuest(ctx, { space_id: place.space_id, person_id: place.user_id })
    if (!gone) throw spaceGuestNotFound()
    await auditGuest(ctx, 'removed', place, { from: gone.role, to: null })
  })

/** For the port of the workspace: everything that guests can open here. */
export const listAllAccess = (ctx: BrandCtx) => store.listAccess(ctx, maxAccesses)

/** One of these. */
export const findAccess = (
  ctx: BrandCtx,
  { person_id, resource_id }: { readonly person_id: number; readonly resource_id: string },
) => store.findAccess(ctx, { person_id, space_id: resource_id })

/** MBR-G15. Whoever gives access holds the person, as whoever sets their password does. */
export const isGuestElsewhere = (ctx: BrandCtx, person_id: number): Promise<boolean> =>
  store.findElsewhere(ctx, person_id)

/** The same for one person, who is removed as a guest or becomes a member. */
export async function endAllAccess(ctx: BrandTx, person_id: number): Promise<number> {
  await store.lockGuests(ctx)
  return store.deleteGuestsByPerson(ctx, person_id)
}

function auditGuest(
  ctx: BrandTx,
  verb: 'added' | 'changed' | 'removed',
  { space_id, user_id }: Place,
  { from, to }: { readonly from: GuestRole | null; readonly to: GuestRole | null },
): Promise<void> {
  const told = (role: GuestRole | null) => (role === null ? null : { space_id, role })
  return ctx.audit({
    action: `docs_guest.${verb}`,
    target: `guest:${user_id}`,
    from: told(from),
    to: told(to),
  })
}

async function peopleById(ctx: BrandCtx, rows: readonly { readonly person_id: number }[]) {
  const people = await listPeople(
    ctx,
    rows.map(({ person_id }) => person_id),
  )
  return new Map(people.map((person) => [person.id, person]))
}
