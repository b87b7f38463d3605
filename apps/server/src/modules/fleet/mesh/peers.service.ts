import { randomUUIDv7 } from 'node:crypto'
import type { Registered } from '@crewhall/contracts/fleet/desk-agent.ts'
import { commandMinutes } from '@crewhall/contracts/fleet/desk-protocol.ts'
import * as refused from '@crewhall/contracts/fleet/refusals.ts'
import type { BrandCtx, BrandTx, EventListener } from '#platform/ctx/ctx.ts'
import type { WakeUps } from '#platform/events/wake-ups.ts'
import { insertCommand } from '../commands/commands.store.ts'
import { plainKey } from '../protocol/desk-key.ts'
import * as store from './peers.store.ts'

/** The private network that desks join, where there is one. */
export interface MeshFacts {
  /** Where in the network a URL leads, in one form for each address; undefined when it leads elsewhere. */
  addressIn(url: string): string | undefined
  /** Of the cell. */
  readonly network: string
  readonly hub_address: string
  readonly hub_key: string
  readonly hub_endpoint: string
  /** Where beats go over the mesh. */
  readonly beat_url: string
}

/** Shorter than what routers on the way forget after. */
const keepaliveSeconds = 25

/** Makes nothing but a hole in the hub. */
const zeroKey = Buffer.alloc(32).toString('base64url')

/** In the transaction in which the desk joins: what the hub has to do is written with the row. */
export async function joinMesh(ctx: BrandTx, mesh: MeshFacts | undefined, id: string, wg_pub: string) {
  if (!mesh) return null
  const wg_key = plainKey(wg_pub)
  if (isNobodys(mesh, wg_key)) throw refused.meshKeyRefused()
  return presentMesh(mesh, await store.upsertPeer(ctx, id, wg_key, mesh.network))
}

const isNobodys = ({ hub_key }: MeshFacts, key: string): boolean => key === zeroKey || key === hub_key

/** A desk is about to use another key: the hub lets it in beside the one in use. */
export async function proposeKey(
  ctx: BrandCtx,
  { mesh, wakeHub }: KeyDeps,
  id: string,
  wg_pub: string,
): Promise<void> {
  const wg_key = plainKey(wg_pub)
  if (mesh && isNobodys(mesh, wg_key)) throw refused.nextKeyRefused()
  if (await ctx.tx((ctx) => store.updateNextKey(ctx, id, wg_key))) wakeHub()
}

export interface KeyDeps {
  readonly mesh: MeshFacts | undefined
  /** After the commit: what the hub has to do is written. */
  wakeHub(): void
}

/** Makes a command of a key whose time has come. */
export async function beginRotation(ctx: BrandTx, desk_id: string): Promise<void> {
  if (!(await store.updateAsked(ctx, desk_id))) return
  const id = randomUUIDv7()
  await insertCommand(ctx, { id, desk_id, kind: 'rotate_key', facts: '{}', minutes: commandMinutes })
}

/** The same for a desk that asks again. */
export const meshOf = async (ctx: BrandTx, mesh: MeshFacts | undefined, id: string) =>
  mesh ? presentMesh(mesh, await store.findPeer(ctx, id)) : null

/**
 * Whether a URL leads into the network and not to this desk, so that nobody has us call desks of others, or the hub. An address
 * is never given twice: what is right once stays so.
 */
export function isElsewhere(mesh: MeshFacts | undefined, url: string, own: string | undefined): boolean {
  const address = mesh?.addressIn(url)
  return address !== undefined && address !== mesh?.addressIn(`http://[${own}]`)
}

/** The same, when a person repoints a desk. */
export const isRepointedElsewhere = async (
  ctx: BrandTx,
  mesh: MeshFacts | undefined,
  id: string,
  url: string,
): Promise<boolean> => mesh !== undefined && isElsewhere(mesh, url, (await store.findPeer(ctx, id))?.address)

/** Also where the network was turned off since. */
export const leaveMesh = (ctx: BrandTx, id: string): Promise<number> => store.deletePeer(ctx, id)

const presentMesh = (
  { hub_key, hub_endpoint, hub_address, beat_url }: MeshFacts,
  peer: { readonly address: string } | undefined,
): Registered['mesh'] =>
  peer
    ? {
        address: peer.address,
        hub_key,
        hub_endpoint,
        allowed_ips: [`${hub_address}/128`],
        keepalive_s: keepaliveSeconds,
        beat_url,
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
