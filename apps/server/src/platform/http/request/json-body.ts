import { hash } from 'node:crypto'
import { contentDigest, signatureFields } from '@crewhall/contracts/fleet/signature.ts'
import { bodyTooLarge, Refusal } from '@crewhall/contracts/refusal.ts'
import { type AnyRoute, isSignedByDesk } from '@crewhall/contracts/route.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inviteBody } from '#platform/http/request/expected-bodies.ts'
import { invalid } from '#platform/http/request/validate.ts'

const maxDepth = 64
const jsonType = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i

const multipartType = /^multipart\/form-data\s*(?:;|$)/i

/**
 * The framework reads no body: who calls is known from the headers alone, and what a stranger sends is nobody's
 * business. It must not judge types either. Its lenient reading of Content-Type has been a way around validation
 * four times, and it answers a type that it cannot read before anybody was asked who they are.
 */
export function leaveBodiesUnread(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _stream, done) => done(null))
}

/** What the framework cannot read must not reach it either. */
export function coverUnknownType({ raw: { headers } }: FastifyRequest): undefined {
  const type = headers['content-type']
  if (type !== undefined && !jsonType.test(type) && !multipartType.test(type)) {
    headers['content-type'] = 'application/octet-stream'
  }
}

/** The body of a request, read once, and only when somebody asks for it. */
export async function readJsonBody(
  spec: AnyRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  limitBytes: number,
): Promise<unknown> {
  const { headers } = request
  if (Number(headers['content-length']) > limitBytes) throw bodyTooLarge()
  // A route without a body takes none; what is sent there is ignored like any unknown field.
  if (!spec.body || !hasBody(request)) return undefined
  if (headers['content-encoding'] !== undefined) throw invalid(spec, 'Content-Encoding is not supported')
  if (!jsonType.test(headers['content-type'] ?? '')) throw notJson(spec, headers['content-type'])
  inviteBody(request, reply)
  const bytes = await bytesOf(spec, request, limitBytes)
  if (
    isSignedByDesk(spec) &&
    headers[signatureFields.digest] !== contentDigest(hash('sha256', bytes, 'base64'))
  )
    throw invalid(spec, 'Content-Digest: is not the digest of the body')
  return bytes.length === 0 ? undefined : jsonIn(bytes, spec)
}

/** What the bytes of a body say, if it is harmless to look at. */
export function jsonIn(bytes: Buffer, spec?: AnyRoute): unknown {
  const text = utf8(spec, bytes)
  if (isTooDeep(text)) throw invalid(spec, `body: nested deeper than ${maxDepth} levels`)
  return parseJson(spec, text)
}

const notJson = (spec: AnyRoute, type = ''): Refusal =>
  invalid(
    spec,
    multipartType.test(type)
      ? 'Content-Type must be application/json; this route takes no multipart form'
      : 'Content-Type must be application/json',
  )

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0

/** As it was sent, of whatever type. */
export async function readBytes(
  spec: AnyRoute | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  limitBytes: number,
): Promise<Buffer> {
  if (Number(request.headers['content-length']) > limitBytes) throw bodyTooLarge()
  if (!hasBody(request)) return Buffer.alloc(0)
  inviteBody(request, reply)
  return bytesOf(spec, request, limitBytes)
}

function bytesOf(spec: AnyRoute | undefined, { raw }: FastifyRequest, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const take = (chunk: Buffer) => {
      length += chunk.length
      if (length <= limitBytes) chunks.push(chunk)
      else {
        // What still comes runs into the ground until the line is closed.
        raw.off('data', take).resume()
        reject(bodyTooLarge())
      }
    }
    raw.on('data', take)
    raw.once('end', () => resolve(Buffer.concat(chunks)))
    raw.once('error', () => reject(invalid(spec, 'body: was cut off')))
    raw.once('close', () => reject(invalid(spec, 'body: was cut off')))
  })
}

function utf8(spec: AnyRoute | undefined, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid(spec, 'body: not valid UTF-8')
  }
}

function parseJson(spec: AnyRoute | undefined, text: string): unknown {
  try {
    return mayBePoisoned.test(text) ? JSON.parse(text, refusePoison) : JSON.parse(text)
  } catch (error) {
    if (error instanceof Refusal) throw invalid(spec, error.message)
    throw invalid(spec, 'body: not valid JSON')
  }
}

/** Looking at every value takes most of the time of a long body. Letters can be written as escapes. */
const mayBePoisoned = /__proto__|\\u00/i

/** A `__proto__` key has no honest use in a body, and any code that copies objects may trip over it. */
function refusePoison(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new Refusal(422, 'body: must not contain __proto__')
  return value
}

/** Counted before parsing: a recursive walk over a thousandfold nested value would end the stack. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (inString) {
      if (char === 0x5c) at += 1
      else if (char === 0x22) inString = false
    } else if (char === 0x22) inString = true
    else if (char === 0x7b || char === 0x5b) {
      depth += 1
      if (depth > maxDepth) return true
    } else if (char === 0x7d || char === 0x5d) depth -= 1
  }
  return false
}
