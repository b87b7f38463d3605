import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { NewCommandKey, SignedCommand } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { commandBase, commandKeyBase } from '@crewhall/contracts/fleet/signature.ts'

/** An Ed25519 key in PKCS #8 is these bytes and the seed. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')

/** What commands are signed with. While `SIGNING_KEY` is replaced there are two, and desks know either. */
export interface CommandKeys {
  /** The one that desks are told when they join. */
  readonly current: string
  /** By the key that the desk knows, or by the current one if that is no key of ours any more. */
  sign(payload: string, known?: string): SignedCommand
  /** The current key, signed by the one that the desk knows; undefined where it needs none, or none can be signed. */
  renewalFor(deskId: string, known: string | undefined): NewCommandKey | undefined
}

/** Of the seeds, the first is the current one. */
export function commandKeysOf(seeds: readonly Buffer[]): CommandKeys {
  const keys = new Map(
    seeds.map((seed) => {
      const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' })
      return [String(createPublicKey(key).export({ format: 'jwk' }).x), key] as const
    }),
  )
  const [first] = keys
  if (!first) throw new Error('there is no key to sign commands with')
  const [current, currentKey] = first
  return {
    current,
    sign: (payload, known = current) => ({
      payload,
      signature: signed(keys.get(known) ?? currentKey, commandBase(payload)),
    }),
    renewalFor(deskId, known) {
      const key = known === undefined || known === current ? undefined : keys.get(known)
      return key && { key: current, signature: signed(key, commandKeyBase(deskId, current)) }
    },
  }
}

const signed = (key: KeyObject, text: string): string =>
  sign(null, Buffer.from(text), key).toString('base64url')
