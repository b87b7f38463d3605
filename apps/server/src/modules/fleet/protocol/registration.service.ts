import type { InstallEvent, Registered, Registration } from '@crewhall/contracts/fleet/desk-agent.ts'
import * as refused from '@crewhall/contracts/fleet/refusals.ts'
import { noteMachine } from '@crewhall/contracts/fleet/updates.ts'
import { notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import type { DeskActor } from '#platform/ctx/actor.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { CommandKeys } from '../commands/command-keys.ts'
import { updateAllLost } from '../commands/commands.store.ts'
import { type DeskRow, lockDesk } from '../desks/desks.store.ts'
import { isElsewhere, joinMesh, type MeshFacts, meshOf } from '../mesh/peers.service.ts'
import { fingerprintOf } from './desk-key.ts'
import * as store from './registration.store.ts'

export interface RegistrationDeps {
  /** Whether an address lies in a network of desks. */
  isDeskUrl(url: string): boolean
  /** Of a machine, the same for all workspaces. */
  machineDigestOf(machine_key: string): string
  readonly command_keys: Pick<CommandKeys, 'current'>
  readonly beat_s: number
  readonly mesh: MeshFacts | undefined
}

/** Desk routes let in desks alone. */
export function deskOf({ actor }: BrandCtx): DeskActor {
  if (actor.kind !== 'desk') throw notAuthenticated()
  return actor
}

export async function noteInstallEvent(ctx: BrandCtx, event: InstallEvent): Promise<void> {
  await store.updateStage(ctx, { id: deskOf(ctx).desk_id, ...event })
}

/**
 * The first key that comes with a secret has it. The same key may ask again for half an hour, because a response can get
 * lost; of any other key the workspace is told.
 */
export async function registerDesk(
  ctx: BrandCtx,
  deps: RegistrationDeps,
  given: Registration,
): Promise<Registered> {
  const { desk_id, credential_id, public_key } = deskOf(ctx)
  if (public_key === null) throw notAuthenticated()
  if (given.env_id !== desk_id) throw refused.otherDesk()
  if (given.sidecar_url === undefined ? !deps.mesh : !deps.isDeskUrl(given.sidecar_url))
    throw refused.sidecarUrlRefused()
  const fingerprint = fingerprintOf(public_key)
  const joined = await ctx.tx(async (ctx) => {
    // In the order in which a release takes them.
    const desk = await lockDesk(ctx, desk_id)
    const secret = desk && (await store.lockSecret(ctx, desk_id, credential_id))
    if (!desk || !secret) throw notAuthenticated()
    if (secret.key_fingerprint === null) return join(ctx, deps, given, { public_key, fingerprint })
    if (secret.key_fingerprint !== fingerprint) return refuseOther(ctx, desk, fingerprint)
    if (!secret.is_open) throw notAuthenticated()
    const mesh = await meshOf(ctx, deps.mesh, desk_id)
    return { sidecar_url: desk.sidecar_url ?? urlOf(given, mesh), mesh }
  })
  // Thrown after the commit: the alarm stays.
  if (!joined) throw refused.joinedByAnother()
  const { command_keys, beat_s } = deps
  return { env_id: desk_id, ...joined, next_in_s: beat_s, command_key: command_keys.current }
}

async function join(
  ctx: BrandTx,
  deps: RegistrationDeps,
  given: Registration,
  key: { readonly public_key: string; readonly fingerprint: string },
) {
  const { env_id: id, wg_pub, machine_key, os, arch } = given
  await store.updateBinding(ctx, id, key.fingerprint)
  const machine_digest = deps.machineDigestOf(machine_key)
  await store.upsertKey(ctx, { id, ...key, wg_key: wg_pub, machine_digest, os, arch })
  const mesh = await joinMesh(ctx, deps.mesh, id, wg_pub)
  const sidecar_url = urlOf(given, mesh)
  if (isElsewhere(deps.mesh, sidecar_url, mesh?.address)) throw refused.sidecarUrlRefused()
  const row = await store.updateJoined(ctx, id, sidecar_url)
  if (!row) throw notAuthenticated()
  // An update that another machine was told to begin waits for this one.
  await updateAllLost(ctx, id)
  await ctx.enqueue(noteMachine, { desk_id: id })
  const data = { workstation_id: id, status: row.state }
  await ctx.emit({ type: 'desk.registered', subject_id: id, data })
  await ctx.audit({
    action: 'desk.registered',
    target: `desk:${id}`,
    from: null,
    to: { key: key.fingerprint, sidecar_url, os, arch },
  })
  return { sidecar_url, mesh }
}

/** Of sidecars that do not say. */
const healthPort = 8787

/** A desk that is in the mesh is asked there, unless it says where else. */
function urlOf({ sidecar_url, health_port = healthPort }: Registration, mesh: Registered['mesh']): string {
  if (sidecar_url !== undefined) return sidecar_url
  // It was in the mesh a moment ago.
  if (!mesh) throw refused.sidecarUrlRefused()
  return `http://[${mesh.address}]:${health_port}`
}

async function refuseOther(ctx: BrandTx, { id, state }: DeskRow, fingerprint: string): Promise<undefined> {
  if ((await store.updateAlarm(ctx, id)) === 0) return undefined
  await ctx.emit({
    type: 'desk.join_refused',
    subject_id: id,
    data: { workstation_id: id, status: state },
  })
  await ctx.audit({
    action: 'desk.join_refused',
    target: `desk:${id}`,
    from: null,
    to: { key: fingerprint },
  })
  return undefined
}
