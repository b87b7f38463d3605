export { createSharedWithMe } from './sharing/shared-with-me.service.ts'
export { createSharing } from './sharing/sharing.service.ts'
export type { FeatureHoldings, FeatureKey, GuestAccess, GuestGrant } from './workspaces.ports.ts'
