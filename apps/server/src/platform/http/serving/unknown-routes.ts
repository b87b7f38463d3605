import { notFound, Refusal } from '@crewhall/contracts/refusal.ts'
import type { Guard } from '#platform/http/limits/guards.ts'
import { pathPattern } from '#platform/http/request/paths.ts'

interface Known {
  readonly method: string
  readonly path: string
}

/** SYS-G6: an unknown path is 404; a known path with another method is 405 and says which ones it takes. */
export function unknownRoutes(known: readonly Known[]): Guard {
  const patterns = known.map(({ method, path }) => ({ method, pattern: pathPattern(path) }))
  return {
    // A guard and not the handler for this case: it comes before the body is read, which may have faults of its own.
    enter(request) {
      if (!request.is404) return undefined
      const path = request.url.split('?', 1)[0] ?? '/'
      const allowed = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
      if (allowed.length === 0) return notFound()
      if (allowed.includes('GET')) allowed.push('HEAD')
      return new Refusal(405, 'Method not allowed', { allow: [...new Set(allowed)].join(', ') })
    },
  }
}
