/**
 * Finds a text that Postgres cannot hold (NUL) or that is not Unicode (an unpaired surrogate), anywhere in
 * a parsed value, and returns the path to it. Checked for all routes at once, so no contract can forget it.
 */
export function hostileText(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return isHostile(value) ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const at = path ? `${path}.${key}` : key
    if (isHostile(key)) return path
    const found = hostileText(inner, at)
    if (found !== undefined) return found
  }
  return undefined
}

const isHostile = (text: string): boolean => text.includes('\0') || !text.isWellFormed()
