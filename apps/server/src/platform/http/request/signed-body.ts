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
  const [shown, wanted] = shownAndWanted(key, headers, bytes)
  return shown.some((each) => isEqual(each, wanted)) && secret !== undefined
}

/** What was shown, and what would be right. A signature that is there has to be right, whatever stands beside it. */
function shownAndWanted(
  key: string,
  headers: IncomingHttpHeaders,
  bytes: Uint8Array,
): readonly [readonly string[], string] {
  const hmac = headers[signatureHeaders.hmac]
  if (hmac !== undefined)
    return [[String(hmac)], `sha256=${createHmac('sha256', key).update(bytes).digest('hex')}`]
  const standard = headers[signatureHeaders.standard]
  if (standard !== undefined) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`
    const digest = createHmac('sha256', standardKey(key)).update(signed).update(bytes).digest('base64')
    return [String(standard).split(' ').slice(0, maxSignatures), `v1,${digest}`]
  }
  const token = headers[signatureHeaders.token]
  return [typeof token === 'string' ? [token] : [], key]
}

/** One for each secret of the sender. */
const maxSignatures = 4
/** Secrets of that standard are base64 behind a prefix. Another one is a text, and not decoded: little might be left of it. */
const standardKey = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)

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
