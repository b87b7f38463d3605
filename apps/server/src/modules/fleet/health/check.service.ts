import { randomBytes } from 'node:crypto'
import { healthPath } from '@crewhall/contracts/fleet/desk-protocol.ts'
import type { MissCause } from '@crewhall/contracts/fleet/health.ts'
import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { KeptCalls, KeptFailure } from '#platform/outbound/kept-calls.ts'
import type { WatchedRow } from './checks.store.ts'
import type { Outcome } from './health.rules.ts'
import { readHealth } from './health-response.ts'

export interface CheckDeps {
  readonly calls: KeptCalls
  /** Whether an address lies in a network of desks. */
  isDeskUrl(url: string): boolean
  /** For one check. */
  readonly limit_ms: number
}

export interface Checked {
  readonly desk: WatchedRow
  readonly outcome: Outcome
  /** Null if nobody was asked. */
  readonly latency_ms: number | null
  /** A limit that came much too late: this process has slept, and the answer may be waiting. Or nobody could be asked. */
  readonly is_void: boolean
  /** Nothing gets into the network of desks. */
  readonly is_shut: boolean
}

/** How late a limit may come in a busy process. */
const latenessMs = 1000

export async function checkDesk(
  ctx: OutsideSystemCtx,
  { calls, isDeskUrl, limit_ms }: CheckDeps,
  desk: WatchedRow,
): Promise<Checked> {
  const unasked = (cause: MissCause): Checked => ({
    desk,
    outcome: { kind: 'missed', cause },
    latency_ms: null,
    is_void: false,
    is_shut: false,
  })
  // Two machines have its key, so its answer proves nothing.
  if (desk.is_quarantined) return unasked('quarantined')
  if (!isDeskUrl(desk.sidecar_url)) return unasked('address_refused')
  const nonce = randomBytes(32).toString('base64url')
  const begun = performance.now()
  const path = `${healthPath}?nonce=${nonce}`
  const received = await calls.get(ctx, { base_url: desk.sidecar_url, path, limit_ms })
  const latency_ms = Math.round(performance.now() - begun)
  const missed = (cause: MissCause): Checked => ({
    desk,
    outcome: { kind: 'missed', cause },
    latency_ms,
    is_void: latency_ms > limit_ms + latenessMs,
    is_shut: false,
  })
  if ('failure' in received && received.failure === 'door')
    return { ...missed('unreachable'), is_void: true, is_shut: true }
  if ('failure' in received) return missed(causeOfFailure(received.failure, desk.has_handshake))
  const read = readHealth({ desk_id: desk.id, public_key: desk.public_key, nonce }, received)
  if (read.kind === 'missed') return missed(read.cause === 'unsigned' ? 'bad_signature' : 'bad_response')
  const outcome: Outcome =
    read.kind === 'misrouted'
      ? { kind: 'misrouted' }
      : { kind: 'answered', version: read.health.version, digest: read.health.digest }
  return { desk, outcome, latency_ms, is_void: false, is_shut: false }
}

function causeOfFailure(failure: KeptFailure, hasHandshake: boolean): MissCause {
  if (failure === 'refused') return 'refused'
  if (failure === 'address') return 'address_refused'
  if (failure === 'protocol' || failure === 'too_large') return 'bad_response'
  if (!hasHandshake) return 'no_handshake'
  return failure === 'timeout' ? 'timeout' : 'unreachable'
}
