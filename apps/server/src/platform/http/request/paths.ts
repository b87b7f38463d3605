/**
 * A contract's path as Fastify wants it. A plain colon must be doubled, or it starts a parameter (`entries:near`). Before
 * one, a parameter says where it ends (`runs/{run_id}:finish`), or its name would go on; it takes whatever stands there, so
 * that a malformed id is refused as one.
 */
export const fastifyPath = (path: string): string =>
  path
    .replaceAll(':', '::')
    .replaceAll(/\{(\w+)\}(?=:)/g, ':$1([\\s\\S]*)')
    .replaceAll(/\{(\w+)\}/g, ':$1')

/**
 * An address with the colons of its path as they stand in a contract. The router decodes them in parameters alone, so
 * `entries%3Anear` would be another route.
 */
export function plainColons(url: string): string {
  const end = url.search(/[?#]/)
  const path = end < 0 ? url : url.slice(0, end)
  return path.includes('%3') ? path.replaceAll(/%3a/gi, ':') + url.slice(path.length) : url
}

/** Matches the concrete paths of a contract's path, and of a plain route's that ends with `*`. */
export function pathPattern(path: string): RegExp {
  const source = path
    .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replaceAll(/\{\w+\}/g, '[^/]+')
    .replace(/\/\\\*$/, '/.*')
  return new RegExp(`^${source}$`)
}
