/** A contract's path as Fastify wants it. A plain colon must be doubled, or it starts a parameter (`entries:near`). */
export const fastifyPath = (path: string): string =>
  path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1')

/** Matches the concrete paths of a contract's path. */
export function pathPattern(path: string): RegExp {
  const source = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${source}$`)
}
