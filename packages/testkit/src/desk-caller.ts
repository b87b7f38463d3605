import { generateKeyPairSync, hash, type KeyObject, randomBytes, randomUUID, sign } from 'node:crypto'
import * as signature from '@crewhall/contracts/fleet/signature.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type pg from 'pg'

interface Shown {
  readonly method: string
  readonly path: string
  readonly auth: AnyRoute['auth']
}

/** What a test makes different from what a sidecar would do. */
export interface Twist {
  readonly created?: number
  readonly sequence?: number
  readonly boot_id?: string
  readonly key_id?: string
  readonly path?: string
  /** What is said of the body, and signed. */
  readonly digest?: string
}

/** Signs as a sidecar does: one process with one key. */
export class DeskCaller {
  readonly desk_id: string
  readonly secret: string
  readonly boot_id = randomUUID()
  readonly public_key: string
  readonly #key: KeyObject
  #sequence = 0

  constructor(desk_id: string, secret: string, key = generateKeyPairSync('ed25519').privateKey) {
    this.desk_id = desk_id
    this.secret = secret
    this.#key = key
    this.public_key = String(key.export({ format: 'jwk' }).x)
  }

  get fingerprint(): string {
    return hash('sha256', Buffer.from(this.public_key, 'base64url'))
  }

  /** Another process with the same key. */
  again(): DeskCaller {
    return new DeskCaller(this.desk_id, this.secret, this.#key)
  }

  /** The same desk with another token. */
  withSecret(secret: string): DeskCaller {
    return new DeskCaller(this.desk_id, secret, this.#key)
  }

  /** One whose rows are written past the API; `admin` is a connection as superuser. */
  static async plant(admin: pg.Client, brand_id: number, desk_id: string): Promise<DeskCaller> {
    const desk = new DeskCaller(desk_id, `dsk_${randomBytes(32).toString('base64url')}`)
    await admin.query(
      `insert into fleet.join_secrets (brand_id, desk_id, secret_digest, expires_at)
       values ($1, $2, $3, now() + interval '1 day')
       on conflict (brand_id, desk_id) do update set secret_digest = $3, key_fingerprint = null, bound_at = null`,
      [brand_id, desk_id, hash('sha256', desk.secret)],
    )
    await admin.query(
      `insert into fleet.desk_keys (brand_id, desk_id, public_key, fingerprint, wg_key, machine_digest, os, arch)
       values ($1, $2, $3, $4, $3, '', 'linux', 'x64')
       on conflict (brand_id, desk_id) do update set public_key = $3, fingerprint = $4`,
      [brand_id, desk_id, desk.public_key, desk.fingerprint],
    )
    return desk
  }

  /** Those of a response to a health check. */
  healthHeaders(body: string, nonce: string): Record<string, string> {
    const facts = { key_id: this.desk_id, created: Math.floor(Date.now() / 1000), nonce }
    const digest = signature.contentDigest(hash('sha256', body, 'base64'))
    const signed = sign(null, Buffer.from(signature.healthBase({ digest }, facts)), this.#key)
    return {
      [signature.signatureFields.digest]: digest,
      [signature.signatureFields.input]: signature.signatureInput('health', facts),
      [signature.signatureFields.signature]: signature.signatureHeader(signed.toString('base64')),
    }
  }

  /** The headers of a call of this route with this body. */
  headersFor({ method, path, auth }: Shown, body: string, twist: Twist = {}): Record<string, string> {
    const isJoining = auth.kind === 'desk' && auth.credential !== 'key'
    const bearer = isJoining ? { authorization: `Bearer ${this.secret}` } : {}
    if (auth.kind === 'desk' && auth.credential === 'join_secret') return bearer as Record<string, string>
    this.#sequence += 1
    const { boot_id = this.boot_id, sequence = this.#sequence } = twist
    const facts = {
      key_id: twist.key_id ?? (isJoining ? this.public_key : this.desk_id),
      created: twist.created ?? Math.floor(Date.now() / 1000),
      nonce: signature.sequenceNonce({ boot_id, sequence }),
    }
    const digest = twist.digest ?? signature.contentDigest(hash('sha256', body, 'base64'))
    const base = signature.requestBase({ method, path: twist.path ?? path, digest }, facts)
    return {
      ...bearer,
      [signature.signatureFields.digest]: digest,
      [signature.signatureFields.input]: signature.signatureInput('request', facts),
      [signature.signatureFields.signature]: signature.signatureHeader(
        sign(null, Buffer.from(base), this.#key).toString('base64'),
      ),
    }
  }
}
