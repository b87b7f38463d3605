export { createSharedWithMe } from './sharing/shared-with-me.service.ts'
export { createSharing } from './sharing/sharing.service.ts'
export {
  type FeatureHoldings,
  type FeatureKey,
  featureHoldings,
  type GuestAccess,
  type GuestGrant,
  guestAccess,
} from './workspaces.ports.ts'
