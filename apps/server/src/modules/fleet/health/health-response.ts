import { hash } from 'node:crypto'
import { DeskHealth } from '@crewhall/contracts/fleet/desk-protocol.ts'
import * as signature from '@crewhall/contracts/fleet/signature.ts'
import { isSignedBy } from '../protocol/desk-key.ts'

export interface Asked {
  readonly desk_id: string
  readonly public_key: string
  readonly nonce: string
}

export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

export type HealthRead =
  | { readonly kind: 'answered'; readonly health: DeskHealth }
  | { readonly kind: 'misrouted' }
  /** Nothing of what it says is believed. */
  | { readonly kind: 'missed'; readonly cause: 'status' | 'unsigned' | 'form' }

/**
 * What a sidecar has returned. It is an answer only if it is signed with the key of the desk over the nonce of this very
 * check. One that says to be another desk is not asked to prove that: its key may be of another workspace.
 */
export function readHealth({ desk_id, public_key, nonce }: Asked, received: Received): HealthRead {
  const { status, headers, body } = received
  if (status !== 200) return { kind: 'missed', cause: 'status' }
  const parsed = DeskHealth.safeParse(parseJson(body))
  if (!parsed.success) return { kind: 'missed', cause: 'form' }
  if (parsed.data.env_id !== desk_id) return { kind: 'misrouted' }
  const facts = signature.parseSignatureInput('health', headers[signature.signatureFields.input])
  const signed = signature.parseSignature(headers[signature.signatureFields.signature])
  const digest = signature.contentDigest(hash('sha256', body, 'base64'))
  const isOurs = facts?.nonce === nonce && facts.key_id === desk_id
  const isSigned =
    facts && signed && isOurs && isSignedBy(public_key, signature.healthBase({ digest }, facts), signed)
  return isSigned ? { kind: 'answered', health: parsed.data } : { kind: 'missed', cause: 'unsigned' }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
