import type { GuestKind } from '@crewhall/contracts/workspaces/guests.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { port } from '#platform/modules/port.ts'

/** The four optional features of a workspace, and what each may hold. */
export type FeatureKey = 'skills' | 'feed' | 'machines' | 'crm'

/**
 * Counts what a feature holds, such as machines. Modules to the right provide one for what they own; a feature
 * that nobody counts for holds nothing.
 */
export interface FeatureHoldings {
  readonly feature: FeatureKey
  count(ctx: BrandCtx): Promise<number>
}

/** One thing that a guest can open. */
export interface GuestGrant {
  readonly person_id: number
  readonly resource_id: string
  readonly name: string
  readonly role: string | null
}

/**
 * Who from outside may open what of one kind. A provider whose store is away throws an Outage, and whoever
 * asked for guests hears that instead of half a list.
 */
export interface GuestAccess {
  readonly kind: GuestKind
  list(ctx: BrandCtx): Promise<readonly GuestGrant[]>
  /** One of them; nothing when it has been taken back. */
  find(ctx: BrandCtx, which: Pick<GuestGrant, 'person_id' | 'resource_id'>): Promise<GuestGrant | undefined>
  /**
   * Takes everything of this kind from the person; answers how many accesses there were. In this database it is
   * part of the transaction; a store elsewhere may have done it when the whole fails, and is asked again.
   */
  remove(ctx: BrandTx, person_id: number): Promise<number>
  /**
   * Whether any other workspace lets the person open something of this kind. Access that is given at the same
   * time must wait for whoever holds the person (`holdPersonByEmail` of identity).
   */
  isGuestElsewhere(ctx: BrandCtx, person_id: number): Promise<boolean>
}

export const featureHoldings = port<FeatureHoldings>('workspaces.feature-holdings')
export const guestAccess = port<GuestAccess>('workspaces.guest-access')
