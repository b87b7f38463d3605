import type { Violation } from './repo-files.ts'

/** What takes more than linear time, or could not be judged. The reason says what bounds its text. */
export type Slow = { pattern: string; verdict: string; reason: string }
/** Literals that were judged, with their flags. */
export type Judged = { linear: readonly string[]; slow: readonly Slow[] }

export const checkPatterns = (
  literals: ReadonlyMap<string, readonly string[]>,
  { linear, slow }: Judged,
  listPath = 'tools/check/patterns.json',
): Violation[] => {
  const known = new Map<string, Slow | undefined>([
    ...linear.map((pattern) => [pattern, undefined] as const),
    ...slow.map((each) => [each.pattern, each] as const),
  ])
  const faultOf = (pattern: string): string | undefined => {
    if (!known.has(pattern)) return 'is not judged: run npm run patterns'
    const entry = known.get(pattern)
    if (entry === undefined || entry.reason.trim() !== '') return undefined
    return `takes more than linear time (${entry.verdict}): rewrite it, or say in ${listPath} what bounds its text`
  }
  const violations = [...literals].flatMap(([pattern, places]) => {
    const fault = faultOf(pattern)
    if (fault === undefined) return []
    return places.map((place) => {
      const [path = '', line] = place.split(':')
      return { path, line: Number(line), rule: 'pattern', message: `${pattern} ${fault}` }
    })
  })
  const stale = [...known.keys()].filter((pattern) => !literals.has(pattern))
  return [
    ...violations,
    ...stale.map((pattern) => ({
      path: listPath,
      line: 1,
      rule: 'pattern-list',
      message: `${pattern} is nowhere any more: run npm run patterns`,
    })),
  ]
}
