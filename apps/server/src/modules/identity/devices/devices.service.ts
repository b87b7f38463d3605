import type { SystemTx } from '#platform/ctx/ctx.ts'
import { digestOf } from '../secrets.ts'
import { deriveClient, deriveNetwork, type Origin } from './client.rules.ts'
import * as store from './devices.store.ts'

/** Where a request to sign in comes from. */
export interface SignInFrom {
  readonly network: string
  readonly user_agent: string | undefined
}

const maxDevices = 50

export const originOf = ({ network, user_agent }: SignInFrom): Origin => ({
  client: deriveClient(user_agent),
  network: deriveNetwork(network),
})

/**
 * Whether the person has signed in before, but not recently from there. The very first sign-in surprises nobody; it is
 * recognized by the account, not by the list of devices, whose entries expire.
 */
export async function noteDevice(ctx: SystemTx, person_id: number, origin: Origin): Promise<boolean> {
  const device = { person_id, digest: digestOf(JSON.stringify([person_id, origin.client, origin.network])) }
  // Also makes those who sign in for the first time at once wait for each other.
  const isFirst = await store.updateFirstUse(ctx, person_id)
  if (await store.updateSeen(ctx, device)) return false
  const isNew = await store.insertDevice(ctx, device)
  await store.deleteOldestDevices(ctx, person_id, maxDevices)
  return isNew && !isFirst
}
