import {
  boardsInvalid,
  docsInvalid,
  GuestAccessItem,
  type GuestKind,
} from '@crewhall/contracts/workspaces/guests.ts'
import { z } from 'zod'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { GuestAccess } from '../workspaces.ports.ts'
import type { Grant } from './guests.rules.ts'

const Grants = z.array(GuestAccessItem.omit({ kind: true }).extend({ person_id: z.int() }))
const Removed = z.int().min(0)

/** Everything that guests can open, from every provider, or an outage: never a part of it. */
export async function listAccess(ctx: BrandCtx, providers: readonly GuestAccess[]): Promise<Grant[]> {
  const grants: Grant[] = []
  for (const provider of providers) {
    const { kind } = provider
    for (const grant of await ask(kind, provider.list(ctx), Grants)) grants.push({ ...grant, kind })
  }
  return grants
}

/** Ends all access of a guest who is removed or becomes a member. Returns counts by kind. */
export async function endAccess(ctx: BrandTx, providers: readonly GuestAccess[], person_id: number) {
  const removed: { kind: GuestKind; count: number }[] = []
  for (const provider of providers) {
    removed.push({
      kind: provider.kind,
      count: await ask(provider.kind, provider.remove(ctx, person_id), Removed),
    })
  }
  return removed
}

/** MBR-G15: whether another workspace shares a resource with the person. */
export async function isGuestElsewhere(
  ctx: BrandCtx,
  providers: readonly GuestAccess[],
  person_id: number,
): Promise<boolean> {
  for (const provider of providers) {
    if (await ask(provider.kind, provider.isGuestElsewhere(ctx, person_id), z.boolean())) return true
  }
  return false
}

/** GST-10, GST-23, GST-G1: an unavailable store and an invalid response get the same 502, which names the store. */
async function ask<T>(kind: GuestKind, asked: Promise<unknown>, form: z.ZodType<T>): Promise<T> {
  const answer = await asked.catch((error: unknown) => {
    throw error instanceof Outage ? unusable(kind, error.reason, error) : error
  })
  const { success, data, error } = form.safeParse(answer)
  if (!success) throw unusable(kind, 'unreachable', error)
  return data
}

const refusals = { board: boardsInvalid, docs: docsInvalid } as const

const unusable = (kind: GuestKind, reason: Outage['reason'], cause: unknown): Outage =>
  new Outage('service', reason, { status: 502, detail: refusals[kind].text, cause })
