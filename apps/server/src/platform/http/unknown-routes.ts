import { notFound, Refusal } from '@crewhall/contracts/refusal.ts'
import type { FastifyInstance } from 'fastify'
import { send } from '#platform/http/errors.ts'
import { pathPattern } from '#platform/http/paths.ts'

interface Known {
  readonly method: string
  readonly path: string
}

/** SYS-G6: an unknown path is 404; a known path with another method is 405 and says which ones it takes. */
export function registerUnknownRoutes(app: FastifyInstance, known: readonly Known[]): void {
  const patterns = known.map(({ method, path }) => ({ method, pattern: pathPattern(path) }))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/'
    const allowed = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (allowed.length === 0) return send(reply, notFound())
    if (allowed.includes('GET')) allowed.push('HEAD')
    return send(reply, new Refusal(405, 'Method not allowed', { allow: [...new Set(allowed)].join(', ') }))
  })
}
