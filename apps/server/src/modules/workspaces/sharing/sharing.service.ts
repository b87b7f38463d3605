import { randomUUID } from 'node:crypto'
import { personNotFound } from '@crewhall/contracts/identity/refusals.ts'
import type { RefusalKind } from '@crewhall/contracts/refusal.ts'
import { type GuestKind, type GuestRole, sendGuestLetter } from '@crewhall/contracts/workspaces/guests.ts'
import { alreadyMember } from '@crewhall/contracts/workspaces/invitations.ts'
import type { ResourceGuest } from '@crewhall/contracts/workspaces/sharing.ts'
import { askForProof, findMembership, holdPersonByEmail, listPeople } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { GuestAccess } from '../workspaces.ports.ts'
import { presentGuest } from './sharing.present.ts'
import { pageOf } from './sharing.rules.ts'
import { type GuestRef, type SharingTables, sharingStore } from './sharing.store.ts'

/** The list of all guests of a workspace has no pages, so giving access is what bounds it. */
const maxAccesses = 1000

type GuestEvent = 'guest.added' | 'guest.role_changed' | 'guest.removed'

/** A kind of resource that a workspace can share with people from outside, one resource at a time. */
export interface Shareable {
  /** Begins the names of audit entries, as in `board_guest.added`. */
  readonly kind: GuestKind
  /** Field of audit entries that names the resource, such as `board_id`. */
  readonly id_field: string
  readonly tables: SharingTables
  readonly refusals: {
    readonly not_found: RefusalKind
    readonly guest_not_found: RefusalKind
    readonly already_guest: RefusalKind
    readonly too_many: RefusalKind
  }
  find(ctx: BrandCtx, id: string): Promise<unknown>
  /** Locks a resource that can take a new guest, and throws the refusal of any other. */
  lockOpen(ctx: BrandTx, id: string): Promise<unknown>
  /**
   * For resources whose every write locks them. Access then changes only under the same lock, which replaces a lock
   * on the row of the guest. Also for archived ones: access can be ended at any time.
   */
  readonly locks?: {
    one(ctx: BrandTx, id: string): Promise<unknown>
    /** All resources that the person can open. */
    allOf(ctx: BrandTx, person_id: number): Promise<unknown>
  }
  /** For resources with a feed of their own. */
  record?(ctx: BrandTx, id: string, action: GuestEvent, data: Record<string, unknown>): Promise<unknown>
}

export type Sharing = ReturnType<typeof createSharing>

/** What admins do with the guests of one kind of resource, and the port by which the workspace sees them. */
export function createSharing(shareable: Shareable) {
  const { kind, id_field, refusals, locks } = shareable
  const store = sharingStore(shareable.tables)

  async function listGuests(
    ctx: BrandCtx,
    resource_id: string,
    { after = 0, limit }: { readonly after?: number | undefined; readonly limit: number },
  ): Promise<{ guests: ResourceGuest[]; next_after: number | null }> {
    if (!(await shareable.find(ctx, resource_id))) throw refusals.not_found()
    const rows = await store.listGuests(ctx, { resource_id, after, limit: limit + 1 })
    const { page, next_after } = pageOf(rows, limit, ({ person_id }) => person_id)
    const people = await peopleById(ctx, page)
    const guests = page.flatMap((row) => {
      const person = people.get(row.person_id)
      return person ? [presentGuest(row, person)] : []
    })
    return { guests, next_after }
  }

  const addGuest = (
    ctx: BrandCtx,
    resource_id: string,
    { email, role }: { readonly email: string; readonly role: GuestRole },
  ): Promise<ResourceGuest> =>
    ctx.tx(async (ctx) => {
      // The person first: joining as a member also locks the person before it ends their access.
      const person = await holdPersonByEmail(ctx, email)
      await store.lockGuests(ctx)
      await shareable.lockOpen(ctx, resource_id)
      if (!person) throw personNotFound()
      if (await findMembership(ctx, person.id)) throw alreadyMember()
      if ((await store.countAccess(ctx)) >= maxAccesses) throw refusals.too_many()
      const guest = { resource_id, person_id: person.id }
      const row = await store.insertGuest(ctx, { ...guest, role }, refusals.already_guest)
      if (!row) throw refusals.not_found()
      // Nothing can be opened until the address is proven (S1).
      if (!person.email_verified) await askForProof(ctx, person.id)
      const data = { user_id: person.id, name: person.full_name, role }
      await shareable.record?.(ctx, resource_id, 'guest.added', data)
      await audit(ctx, 'added', guest, { from: null, to: role })
      await enqueueLetter(ctx, guest)
      return presentGuest(row, person)
    })

  const changeGuest = (ctx: BrandCtx, guest: GuestRef, role: GuestRole): Promise<ResourceGuest> =>
    ctx.tx(async (ctx) => {
      const { resource_id, person_id } = guest
      await locks?.one(ctx, resource_id)
      const row = await store.lockGuest(ctx, guest)
      const person = row && (await peopleById(ctx, [row])).get(person_id)
      if (!row || !person) throw refusals.guest_not_found()
      if (row.role !== role) {
        await store.updateRole(ctx, { ...guest, role })
        const data = { user_id: person_id, from: row.role, to: role }
        await shareable.record?.(ctx, resource_id, 'guest.role_changed', data)
        await audit(ctx, 'changed', guest, { from: row.role, to: role })
      }
      return presentGuest({ ...row, role }, person)
    })

  const removeGuest = (ctx: BrandCtx, guest: GuestRef): Promise<void> =>
    ctx.tx(async (ctx) => {
      const { resource_id, person_id } = guest
      await locks?.one(ctx, resource_id)
      const removed = await store.deleteGuest(ctx, guest)
      if (!removed) throw refusals.guest_not_found()
      const { role } = removed
      await shareable.record?.(ctx, resource_id, 'guest.removed', { user_id: person_id, role })
      await audit(ctx, 'removed', guest, { from: role, to: null })
    })

  async function endAllAccess(ctx: BrandTx, person_id: number): Promise<number> {
    await store.lockGuests(ctx)
    await locks?.allOf(ctx, person_id)
    const removed = await store.deleteGuestsByPerson(ctx, person_id)
    for (const { resource_id, role } of removed)
      await shareable.record?.(ctx, resource_id, 'guest.removed', { user_id: person_id, role })
    return removed.length
  }

  const enqueueLetter = (ctx: BrandTx, { resource_id, person_id }: GuestRef) =>
    ctx.enqueue(sendGuestLetter, {
      brand_id: ctx.brandId,
      person_id,
      inviter_id: ctx.actor.kind === 'person' ? ctx.actor.person_id : null,
      kind,
      resource_id,
      letter_id: randomUUID(),
    })

  function audit(
    ctx: BrandTx,
    verb: 'added' | 'changed' | 'removed',
    { resource_id, person_id }: GuestRef,
    { from, to }: { readonly from: GuestRole | null; readonly to: GuestRole | null },
  ): Promise<void> {
    const state = (role: GuestRole | null) => (role === null ? null : { [id_field]: resource_id, role })
    return ctx.audit({
      action: `${kind}_guest.${verb}`,
      target: `guest:${person_id}`,
      from: state(from),
      to: state(to),
    })
  }

  const access: GuestAccess = {
    kind,
    list: (ctx) => store.listAccess(ctx, maxAccesses),
    find: (ctx, grant) => store.findAccess(ctx, grant),
    remove: endAllAccess,
    // MBR-G15: giving access locks the person, and so does setting their password.
    isGuestElsewhere: (ctx, person_id) => store.findElsewhere(ctx, person_id),
  }

  /** The guest as they stay until the end of the transaction, for a write that relies on their role. */
  const holdGuest = (ctx: BrandTx, guest: GuestRef) =>
    locks ? store.findGuest(ctx, guest) : store.holdGuest(ctx, guest)

  return { tables: shareable.tables, listGuests, addGuest, changeGuest, removeGuest, holdGuest, access }
}

async function peopleById(ctx: BrandCtx, rows: readonly { readonly person_id: number }[]) {
  const ids = rows.map(({ person_id }) => person_id)
  return new Map((await listPeople(ctx, ids)).map((person) => [person.id, person]))
}
