import { check } from 'recheck'
import type { Judged, Slow } from './pattern-check.ts'

/** Longer than recheck's own limit: a pattern is judged once, on whatever machine. */
const timeout = 20_000

/** Judges what was not judged yet, and forgets what is nowhere any more. Reasons stay. */
export const judgePatterns = async (literals: Iterable<string>, known: Judged): Promise<Judged> => {
  const linear: string[] = []
  const slow: Slow[] = []
  const knownLinear = new Set(known.linear)
  for (const pattern of [...new Set(literals)].sort()) {
    const entry = known.slow.find((each) => each.pattern === pattern)
    const verdict = entry || knownLinear.has(pattern) ? undefined : await verdictOf(pattern)
    if (entry) slow.push(entry)
    else if (verdict === undefined) linear.push(pattern)
    else slow.push({ pattern, verdict, reason: '' })
  }
  return { linear, slow }
}

/** How the time grows, or why that is not known; nothing if it grows with the length alone. */
const verdictOf = async (pattern: string): Promise<string | undefined> => {
  const end = pattern.lastIndexOf('/')
  const result = await check(pattern.slice(1, end), pattern.slice(end + 1), { timeout })
  if (result.status === 'safe') return undefined
  return result.status === 'vulnerable' ? result.complexity.summary : `unknown: ${result.error.kind}`
}
