import type { Registered } from '@crewhall/contracts/fleet/desk-agent.ts'
import * as refused from '@crewhall/contracts/fleet/refusals.ts'
import type { BrandTx, EventListener } from '#platform/ctx/ctx.ts'
import type { WakeUps } from '#platform/events/wake-ups.ts'
import { plainKey } from '../protocol/desk-key.ts'
import * as store from './peers.store.ts'

/** The private network that desks join, where there is one. */
export interface MeshFacts {
  /** Of the cell. */
  readonly network: string
  readonly hub_address: string
  readonly hub_key: string
  readonly hub_endpoint: string
}

/** Shorter than what routers on the way forget after. */
const keepaliveSeconds = 25

/** Makes nothing but a hole in the hub. */
const zeroKey = Buffer.alloc(32).toString('base64url')

/** In the transaction in which the desk joins: what the hub has to do is written with the row. */
export async function joinMesh(ctx: BrandTx, mesh: MeshFacts | undefined, id: string, wg_pub: string) {
  if (!mesh) return null
  const wg_key = plainKey(wg_pub)
  if (wg_key === zeroKey || wg_key === mesh.hub_key) throw refused.meshKeyRefused()
  return presentMesh(mesh, await store.upsertPeer(ctx, id, wg_key, mesh.network))
}

/** The same for a desk that asks again. */
export const meshOf = async (ctx: BrandTx, mesh: MeshFacts | undefined, id: string) =>
  mesh ? presentMesh(mesh, await store.findPeer(ctx, id)) : null

/** Also where the network was turned off since. */
export const leaveMesh = (ctx: BrandTx, id: string): Promise<number> => store.deletePeer(ctx, id)

const presentMesh = (
  { hub_key, hub_endpoint, hub_address }: MeshFacts,
  peer: { readonly address: string } | undefined,
): Registered['mesh'] =>
  peer
    ? {
        address: peer.address,
        hub_key,
        hub_endpoint,
        allowed_ips: [`${hub_address}/128`],
        keepalive_s: keepaliveSeconds,
      }
    : null

/** What the hub is woken by. */
export const meshTopic = 'mesh'

/** Whatever changes who is in the network. */
const meshEvents: ReadonlySet<string> = new Set(['desk.registered', 'desk.released', 'desk.quarantined'])

export const wakingHub = (wake_ups: Pick<WakeUps, 'tell'>): EventListener => ({
  committed(_, { type }) {
    if (meshEvents.has(type)) wake_ups.tell(meshTopic)
  },
})
