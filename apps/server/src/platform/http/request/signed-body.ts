import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { signatureHeaders } from '@crewhall/contracts/route.ts'

/** Stands in where there is no secret, so that this takes as long as a wrong signature. */
const nobodys = randomBytes(32).toString('hex')

/**
 * Whether the body was signed with the secret, in one of the forms that hosts of repositories send. Without a secret
 * nothing is.
 */
export function isSignedWith(
  secret: string | undefined,
  headers: IncomingHttpHeaders,
  bytes: Uint8Array,
): boolean {
  const key = secret ?? nobodys
  const sent = headers[signatureHeaders.hmac]
  const [shown, wanted] =
    sent === undefined
      ? [headers[signatureHeaders.token], key]
      : [sent, `sha256=${createHmac('sha256', key).update(bytes).digest('hex')}`]
  return typeof shown === 'string' && isEqual(shown, wanted) && secret !== undefined
}

/** Of their digests, which are of one length, so that not even a length is told by the time that it takes. */
const isEqual = (one: string, other: string): boolean => timingSafeEqual(digestOf(one), digestOf(other))

const digestKey = randomBytes(32)
const digestOf = (text: string): Buffer => createHmac('sha256', digestKey).update(text).digest()

/** JSON, or a form with JSON in the field `payload`; undefined for anything else, which says nothing to us. */
export function parseSigned(bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  return parseJson(text) ?? parseJson(new URLSearchParams(text).get('payload') ?? '')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
