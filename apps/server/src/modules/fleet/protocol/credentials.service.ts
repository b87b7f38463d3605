import { maxClockSkewS } from '@crewhall/contracts/fleet/desk-protocol.ts'
import * as refused from '@crewhall/contracts/fleet/refusals.ts'
import * as signature from '@crewhall/contracts/fleet/signature.ts'
import { notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import type { Auth } from '@crewhall/contracts/route.ts'
import type { FurtherCredential, ShownRequest } from '#modules/identity'
import type { DeskActor } from '#platform/ctx/actor.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { KeptValues } from '#platform/redis/kept-values.ts'
import { findDesk } from '../desks/desks.store.ts'
import { digestOf } from '../desks/join-secret.ts'
import { leaveMesh } from '../mesh/peers.service.ts'
import * as store from './credentials.store.ts'
import { isSignedBy, plainKey } from './desk-key.ts'
import { judgeSequence } from './sequence.rules.ts'

export interface CredentialDeps {
  /** What was last heard of the processes of each key. */
  readonly processes: KeptValues
}

type DeskAuth = Auth & { kind: 'desk' }
type Known = Awaited<ReturnType<FurtherCredential['authenticate']>>

/** Two credentials: the secret that a machine joins with, and the key that the desk signs with from then on. */
export const deskCredential = (deps: CredentialDeps): FurtherCredential => ({
  kind: 'desk',
  authenticate(ctx, auth, shown) {
    const { credential } = auth as DeskAuth
    return credential === 'key'
      ? byKey(ctx, deps, shown)
      : bySecret(ctx, shown, credential === 'join_secret_and_key')
  },
})

const secretIn = (authorization = ''): string | undefined =>
  /^bearer (dsk_[A-Za-z0-9_-]{43})$/i.exec(authorization)?.[1]

async function bySecret(ctx: SystemCtx, shown: ShownRequest, bringsKey: boolean): Promise<Known> {
  const secret = secretIn(shown.headers.authorization)
  const credential_id = secret === undefined ? '' : digestOf(secret)
  const row = secret === undefined ? undefined : await store.findSecret(ctx, credential_id)
  if (!row) throw notAuthenticated()
  const { brand_id, desk_id } = row
  const actor = {
    kind: 'desk',
    desk_id,
    credential: 'join_secret',
    credential_id,
    is_new_process: false,
  } as const
  if (!bringsKey) {
    if (!row.is_open) throw notAuthenticated()
    return { brand_id, actor: { ...actor, public_key: null } }
  }
  const facts = signature.parseSignatureInput('request', shown.headers[signature.signatureFields.input])
  if (facts?.key_id.length !== keyCharacters || !isSigned(shown, facts, facts.key_id))
    throw notAuthenticated()
  refuseSkew(ctx, facts)
  return { brand_id, actor: { ...actor, public_key: plainKey(facts.key_id) } }
}

const keyCharacters = 43
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

async function byKey(ctx: SystemCtx, deps: CredentialDeps, shown: ShownRequest): Promise<Known> {
  const facts = signature.parseSignatureInput('request', shown.headers[signature.signatureFields.input])
  const sequence = facts && signature.parseSequenceNonce(facts.nonce)
  if (!facts || !sequence || !uuidForm.test(facts.key_id)) throw notAuthenticated()
  const desk_id = facts.key_id
  const key = await store.findKey(ctx, desk_id)
  if (!key || !isSigned(shown, facts, key.public_key)) throw notAuthenticated()
  if (key.is_released) throw refused.deskReleased()
  if (key.is_quarantined) throw refused.deskQuarantined()
  refuseSkew(ctx, facts)
  const actor = {
    kind: 'desk',
    desk_id,
    credential: 'desk_key',
    credential_id: key.fingerprint,
    public_key: key.public_key,
  } as const
  const heard = await hear(deps, key.fingerprint, { ...sequence, created: facts.created })
  if (heard.kind === 'replayed') throw refused.sequenceUsed()
  if (heard.kind === 'copies') {
    await quarantine(ctx, key, { ...actor, is_new_process: false })
    throw refused.deskQuarantined()
  }
  return { brand_id: key.brand_id, actor: { ...actor, is_new_process: heard.is_new_process } }
}

function isSigned({ headers, method, path }: ShownRequest, facts: signature.SignatureFacts, key: string) {
  const digest = headers[signature.signatureFields.digest]
  const signed = signature.parseSignature(headers[signature.signatureFields.signature])
  if (typeof digest !== 'string' || signed === undefined) return false
  return isSignedBy(key, signature.requestBase({ method, path, digest }, facts), signed)
}

function refuseSkew(ctx: SystemCtx, { created }: signature.SignatureFacts): void {
  if (Math.abs(ctx.now().getTime() / 1000 - created) > maxClockSkewS) throw refused.clockOff()
}

/** What a request is after all that were heard before, and before all that will be. */
async function hear(
  { processes }: CredentialDeps,
  fingerprint: string,
  heard: Parameters<typeof judgeSequence>[1],
) {
  for (;;) {
    const known = await processes.find(fingerprint)
    const judged = judgeSequence(known === null ? undefined : JSON.parse(known), heard)
    if (judged.kind !== 'fresh') return judged
    if (await processes.replace(fingerprint, known, JSON.stringify(judged.processes))) return judged
  }
}

/** Nobody can tell which of the two is the right one, so neither is heard until a machine joins with a new key. */
async function quarantine(ctx: SystemCtx, key: store.KeyRow, actor: DeskActor): Promise<void> {
  await ctx.forBrand(key.brand_id, { actor }).tx(async (ctx) => {
    const { desk_id } = actor
    if ((await store.updateQuarantine(ctx, desk_id, key.fingerprint)) === 0) return
    const desk = await findDesk(ctx, desk_id)
    if (!desk) return
    await leaveMesh(ctx, desk_id)
    const data = { workstation_id: desk_id, status: desk.state }
    await ctx.emit({ type: 'desk.quarantined', subject_id: desk_id, data })
    await ctx.audit({
      action: 'desk.quarantined',
      target: `desk:${desk_id}`,
      from: null,
      to: { key: key.fingerprint },
    })
  })
}

/** How long a machine is told that its desk was released. */
const releasedDays = 90

export const releasedKeysSweep = {
  table: 'fleet.desk_keys',
  bite: (ctx: SystemCtx, limit: number) => store.deleteOldKeys(ctx, limit, releasedDays),
}
