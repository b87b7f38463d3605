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

/** A resource that a guest can open. */
export interface GuestGrant {
  readonly person_id: number
  readonly resource_id: string
  readonly name: string
  readonly role: string | null
}

/**
 * Guest access to one kind of resource. A provider whose store is unavailable throws an Outage, which callers get
 * instead of a partial list.
 */
export interface GuestAccess {
  readonly kind: GuestKind
  list(ctx: BrandCtx): Promise<readonly GuestGrant[]>
  /** One of them; nothing when it has been taken back. */
  find(ctx: BrandCtx, which: Pick<GuestGrant, 'person_id' | 'resource_id'>): Promise<GuestGrant | undefined>
  /**
   * Ends all access of this kind of the person; returns how many grants there were. In this database it is part of the
   * transaction; an external store may have done it although the transaction fails, and is asked again.
   */
  remove(ctx: BrandTx, person_id: number): Promise<number>
  /**
   * Whether another workspace shares a resource of this kind with the person. Granting access must lock the person
   * (`holdPersonByEmail` of identity), so that it waits for this check.
   */
  isGuestElsewhere(ctx: BrandCtx, person_id: number): Promise<boolean>
}

export const featureHoldings = port<FeatureHoldings>('workspaces.feature-holdings')
export const guestAccess = port<GuestAccess>('workspaces.guest-access')
