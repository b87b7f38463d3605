import type { Paging } from '@crewhall/contracts/wire.ts'
import { type Member, nothingToUpdate, roleUnknown } from '@crewhall/contracts/workspaces/members.ts'
import {
  changeRole,
  endMembership,
  getMembership,
  holdMembership,
  listMemberships,
  type MembershipFacts,
} from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { revokeInvitationsBy } from '../invitations/invitations.service.ts'
import { forgetPhoto, photoUrls } from '../photos/photos.service.ts'
import { presentMember } from './members.present.ts'
import * as store from './members.store.ts'

interface MemberQuery extends Paging {
  readonly q?: string | undefined
}

export async function listMemberPage(
  ctx: BrandCtx,
  { page, per_page, q }: MemberQuery,
): Promise<{ members: Member[]; total: number }> {
  const slice = { q: q ?? null, limit: per_page, offset: (page - 1) * per_page }
  const { members, total } = await listMemberships(ctx, slice)
  return { members: await describeMembers(ctx, members), total }
}

export async function getOneMember(ctx: BrandCtx, user_id: number): Promise<Member> {
  const [member] = await describeMembers(ctx, [await getMembership(ctx, user_id)])
  if (!member) throw new Error('a member was described as nothing')
  return member
}

async function describeMembers(ctx: BrandCtx, members: readonly MembershipFacts[]): Promise<Member[]> {
  const ids = members.map(({ person_id }) => person_id)
  const positions = new Map(
    (await store.listPositions(ctx, ids)).map(({ person_id, position }) => [person_id, position]),
  )
  const photos = await photoUrls(ctx, ids)
  return members.map((facts) => {
    const { person_id } = facts
    return presentMember(facts, positions.get(person_id) ?? null, photos.get(person_id) ?? null)
  })
}

interface MemberPatch {
  readonly role?: unknown
  readonly position?: string | null | undefined
}

/** MBR-G2, MBR-G4: what is wrong with the body comes first, and nothing is written unless all of it is. */
export async function changeMemberFields(ctx: BrandCtx, user_id: number, change: MemberPatch): Promise<void> {
  const role = roleOf(change)
  const { position } = change
  if (role === undefined && position === undefined) throw nothingToUpdate()
  await ctx.tx(async (ctx) => {
    await getMembership(ctx, user_id)
    const entries = [
      role === undefined ? undefined : await applyRole(ctx, user_id, role),
      // MBR-G5: an empty position is none.
      position === undefined ? undefined : await applyPosition(ctx, user_id, position || null),
    ]
    for (const entry of entries) if (entry) await ctx.audit(entry)
  })
}

function roleOf({ role }: MemberPatch): 'admin' | 'member' | undefined {
  if (role === undefined || role === 'admin' || role === 'member') return role
  throw roleUnknown()
}

/** Both return the change for the audit log, or undefined if nothing changed. */
async function applyRole(ctx: BrandTx, user_id: number, role: 'admin' | 'member') {
  if (role === 'member') await revokeInvitationsBy(ctx, user_id)
  const from = await changeRole(ctx, user_id, role)
  if (from === role) return undefined
  return { action: 'member.role_changed', target: `member:${user_id}`, from: { role: from }, to: { role } }
}

async function applyPosition(ctx: BrandTx, user_id: number, position: string | null) {
  await holdMembership(ctx, user_id)
  const from = await store.lockPosition(ctx, user_id)
  if (from === position) return undefined
  await store.updatePosition(ctx, user_id, position)
  const target = `member:${user_id}`
  return { action: 'member.position_changed', target, from: { position: from }, to: { position } }
}

export const removeOneMember = (ctx: BrandCtx, user_id: number): Promise<void> =>
  ctx.tx(async (ctx) => {
    await revokeInvitationsBy(ctx, user_id)
    const { role } = await endMembership(ctx, user_id)
    await store.deleteProfile(ctx, user_id)
    await forgetPhoto(ctx, user_id)
    await ctx.audit({ action: 'member.removed', target: `member:${user_id}`, from: { role }, to: null })
  })
