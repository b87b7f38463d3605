import { randomUUID } from 'node:crypto'
import { type BoardGuest, boardAccessLimit } from '@crewhall/contracts/boards/guests.ts'
import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import { personNotFound } from '@crewhall/contracts/identity/refusals.ts'
import { type GuestRole, guestNotFound, sendGuestLetter } from '@crewhall/contracts/workspaces/guests.ts'
import { alreadyMember } from '@crewhall/contracts/workspaces/invitations.ts'
import { askForProof, findMembership, holdPersonByEmail, listPeople } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { lockOpenBoard } from '../boards/boards.service.ts'
import { findBoard, lockBoard } from '../boards/boards.store.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import { presentBoardGuest } from './board-guests.present.ts'
import * as store from './board-guests.store.ts'

/** The list of all guests of a workspace has no pages, so what it can hold is bounded where access is given. */
const maxAccesses = 1000

interface Place {
  readonly board_id: string
  readonly user_id: number
}

export async function listGuestsOf(
  ctx: BrandCtx,
  board_id: string,
  { after = 0, limit }: { after?: number | undefined; limit: number },
): Promise<{ guests: BoardGuest[]; next_after: number | null }> {
  if (!(await findBoard(ctx, board_id))) throw boardNotFound()
  const rows = await store.listGuests(ctx, { board_id, after, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const people = await peopleById(ctx, page)
  return {
    guests: page.flatMap((row) => {
      const person = people.get(row.person_id)
      return person ? [presentBoardGuest(row, person)] : []
    }),
    next_after: rows.length > limit ? (page.at(-1)?.person_id ?? null) : null,
  }
}

export const admitGuest = (
  ctx: BrandCtx,
  board_id: string,
  { email, role }: { readonly email: string; readonly role: GuestRole },
): Promise<BoardGuest> =>
  ctx.tx(async (ctx) => {
    // First of all, as whoever becomes a member is held before their access is taken.
    const person = await holdPersonByEmail(ctx, email)
    await store.lockGuests(ctx)
    await lockOpenBoard(ctx, board_id)
    if (!person) throw personNotFound()
    if (await findMembership(ctx, person.id)) throw alreadyMember()
    if ((await store.countAccess(ctx)) >= maxAccesses) throw boardAccessLimit()
    const row = await store.insertGuest(ctx, { board_id, person_id: person.id, role })
    if (!row) throw boardNotFound()
    // Nothing can be opened until the address is proven (S1).
    if (!person.email_verified) await askForProof(ctx, person.id)
    const data = { user_id: person.id, name: person.full_name, role }
    await record(ctx, { board_id, action: 'guest.added', data })
    await auditGuest(ctx, 'added', { board_id, user_id: person.id }, { from: null, to: role })
    await tellGuest(ctx, person.id, board_id)
    return presentBoardGuest(row, person)
  })

const tellGuest = (ctx: BrandTx, person_id: number, resource_id: string) =>
  ctx.enqueue(sendGuestLetter, {
    brand_id: ctx.brandId,
    person_id,
    inviter_id: ctx.actor.kind === 'person' ? ctx.actor.person_id : null,
    kind: 'board',
    resource_id,
    letter_id: randomUUID(),
  })

export const changeGuest = (ctx: BrandCtx, place: Place, role: GuestRole): Promise<BoardGuest> =>
  ctx.tx(async (ctx) => {
    const { board_id, user_id } = place
    const row = await lockGuestOf(ctx, place)
    const person = (await peopleById(ctx, [row])).get(user_id)
    if (!person) throw guestNotFound()
    if (row.role !== role) {
      await store.updateRole(ctx, { board_id, person_id: user_id, role })
      const data = { user_id, from: row.role, to: role }
      await record(ctx, { board_id, action: 'guest.role_changed', data })
      await auditGuest(ctx, 'changed', place, { from: row.role, to: role })
    }
    return presentBoardGuest({ ...row, role }, person)
  })

export const dismissGuest = (ctx: BrandCtx, place: Place): Promise<void> =>
  ctx.tx(async (ctx) => {
    const { board_id, user_id } = place
    const { role } = await lockGuestOf(ctx, place)
    await store.deleteGuest(ctx, { board_id, person_id: user_id })
    await record(ctx, { board_id, action: 'guest.removed', data: { user_id, role } })
    await auditGuest(ctx, 'removed', place, { from: role, to: null })
  })

/** Also on a board that is archived: a right can be taken back at any time. */
async function lockGuestOf(ctx: BrandTx, { board_id, user_id }: Place): Promise<store.BoardGuestRow> {
  await lockBoard(ctx, board_id)
  const row = await store.findGuest(ctx, { board_id, person_id: user_id })
  if (!row) throw guestNotFound()
  return row
}

/** For the port of the workspace: every board that guests can open here. */
export const listAllAccess = (ctx: BrandCtx) => store.listAccess(ctx, maxAccesses)

/** One of these. */
export const findAccess = (
  ctx: BrandCtx,
  { person_id, resource_id }: { readonly person_id: number; readonly resource_id: string },
) => store.findAccess(ctx, { person_id, board_id: resource_id })

/** MBR-G15. Whoever gives access holds the person, as whoever sets their password does. */
export const isGuestElsewhere = (ctx: BrandCtx, person_id: number): Promise<boolean> =>
  store.findElsewhere(ctx, person_id)

/** The same for one person, who is removed as a guest or becomes a member. */
export async function endAllAccess(ctx: BrandTx, person_id: number): Promise<number> {
  await store.lockGuests(ctx)
  await store.lockBoardsOfGuest(ctx, person_id)
  const gone = await store.deleteGuestsByPerson(ctx, person_id)
  for (const { board_id, role } of gone) {
    await record(ctx, { board_id, action: 'guest.removed', data: { user_id: person_id, role } })
  }
  return gone.length
}

const record = (
  ctx: BrandTx,
  entry: { readonly board_id: string; readonly action: string; readonly data: Record<string, unknown> },
) => recordActivity(ctx, { ...entry, card_id: null, actor: boardActorOf(ctx.actor) })

function auditGuest(
  ctx: BrandTx,
  verb: 'added' | 'changed' | 'removed',
  { board_id, user_id }: Place,
  { from, to }: { readonly from: GuestRole | null; readonly to: GuestRole | null },
): Promise<void> {
  const told = (role: GuestRole | null) => (role === null ? null : { board_id, role })
  return ctx.audit({
    action: `board_guest.${verb}`,
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
