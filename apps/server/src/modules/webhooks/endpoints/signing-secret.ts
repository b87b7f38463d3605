import { createHmac, randomBytes } from 'node:crypto'
import type { SecretBox } from '#platform/secrets/secret-box.ts'

const prefix = 'whsec_'

/** As Standard Webhooks has them: the key in base64, behind a prefix by which scanners find leaked ones. */
export const newSigningSecret = (): string => `${prefix}${randomBytes(32).toString('base64')}`

/** Where the secrets of a webhook open. */
export const placeOf = (brand_id: number, webhook_id: string): string => `webhook:${brand_id}:${webhook_id}`

export const sealSecret = (box: SecretBox, brand_id: number, webhook_id: string, secret: string): Buffer =>
  box.seal(placeOf(brand_id, webhook_id), secret)

/** Those that can be read; none of them when the key of the installation was lost. */
export function openSecrets(
  box: SecretBox,
  brand_id: number,
  webhook_id: string,
  sealed: readonly (Buffer | null)[],
): string[] {
  const place = placeOf(brand_id, webhook_id)
  return sealed.flatMap((each) => (each ? (box.open(place, each) ?? []) : []))
}

interface Message {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/** Standard Webhooks 1.0.0: one signature per secret, so that a receiver may change over when it likes. */
export function signaturesOf(secrets: readonly string[], { id, timestamp, body }: Message): string {
  const signed = `${id}.${timestamp}.${body}`
  return secrets
    .map((secret) => Buffer.from(secret.slice(prefix.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    .join(' ')
}
