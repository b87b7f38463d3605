import { Refusal } from '@crewhall/contracts/refusal.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid } from '#platform/http/validate.ts'

const maxDepth = 64
const jsonType = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i

/**
 * One parser for all bodies. Fastify picks parsers by a lenient reading of Content-Type, which has been a
 * way around validation four times, so the type is read again here, strictly, whatever was matched.
 */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, parseBody(request, bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

const specOf = (request: FastifyRequest): AnyRoute | undefined => request.routeOptions.config.spec

function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  const spec = specOf(request)
  if (bytes.length === 0) return undefined
  // A route without a body takes none; what is sent there is ignored like any unknown field.
  if (!spec?.body) return undefined
  if (request.headers['content-encoding'] !== undefined) {
    throw invalid(spec, 'Content-Encoding is not supported')
  }
  if (!jsonType.test(request.headers['content-type'] ?? '')) {
    throw invalid(spec, 'Content-Type must be application/json')
  }
  const text = utf8(spec, bytes)
  if (isTooDeep(text)) throw invalid(spec, `body: nested deeper than ${maxDepth} levels`)
  return parseJson(spec, text)
}

function utf8(spec: AnyRoute, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid(spec, 'body: not valid UTF-8')
  }
}

function parseJson(spec: AnyRoute, text: string): unknown {
  try {
    return JSON.parse(text, refusePoison)
  } catch (error) {
    if (error instanceof Refusal) throw invalid(spec, error.message)
    throw invalid(spec, 'body: not valid JSON')
  }
}

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
