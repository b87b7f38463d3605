import { createHash, randomUUID } from 'node:crypto'
import {
  contentDigest,
  healthBase,
  requestBase,
  type SignatureFacts,
  sequenceNonce,
  signatureFields,
  signatureHeader,
  signatureInput,
} from '@crewhall/contracts/fleet/signature.ts'
import type { DeskKeys } from '../state/keys.ts'

type SignedFields = Readonly<Record<string, string>>

/** Signs what this process sends. Its requests are numbered without a gap, whether or not they arrive. */
export class Signer {
  /** Names this process: two that run at once with one key are two copies of the desk. */
  readonly boot_id = randomUUID()
  readonly #keys: DeskKeys
  #sequence = 0

  constructor(keys: DeskKeys) {
    this.#keys = keys
  }

  request(keyId: string, method: string, path: string, body: string): SignedFields {
    this.#sequence += 1
    const nonce = sequenceNonce({ boot_id: this.boot_id, sequence: this.#sequence })
    const [digest, facts] = [digestOf(body), factsOf(keyId, nonce)]
    const signature = this.#keys.sign(requestBase({ method, path, digest }, facts))
    return fieldsOf(digest, signatureInput('request', facts), signature)
  }

  health(keyId: string, nonce: string, body: string): SignedFields {
    const [digest, facts] = [digestOf(body), factsOf(keyId, nonce)]
    const signature = this.#keys.sign(healthBase({ digest }, facts))
    return fieldsOf(digest, signatureInput('health', facts), signature)
  }
}

const digestOf = (body: string): string => contentDigest(createHash('sha256').update(body).digest('base64'))

const factsOf = (key_id: string, nonce: string): SignatureFacts => ({
  key_id,
  created: Math.floor(Date.now() / 1000),
  nonce,
})

const fieldsOf = (digest: string, input: string, signature: string): SignedFields => ({
  [signatureFields.digest]: digest,
  [signatureFields.input]: input,
  [signatureFields.signature]: signatureHeader(signature),
})
