export type { FeatureHoldings, FeatureKey, GuestAccess, GuestGrant } from './workspaces.ports.ts'
