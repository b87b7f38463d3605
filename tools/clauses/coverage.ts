import { type Clause, findIds, leadingIds, listAreas } from './clause-list.ts'
import type { TestResult } from './test-report.ts'

export type AreaCoverage = { area: string; clauses: Tally; gaps: Tally }
type Tally = { covered: number; total: number; uncovered: string[] }

const namedBy = (results: readonly TestResult[], status: string, areas: readonly string[]): Set<string> =>
  new Set(
    results.filter((each) => each.status === status).flatMap(({ fullName }) => findIds(fullName, areas)),
  )

const tally = (clauses: readonly Clause[], isCovered: (clause: Clause) => boolean): Tally => {
  const uncovered = clauses.filter((clause) => !isCovered(clause)).map(({ id }) => id)
  return { covered: clauses.length - uncovered.length, total: clauses.length, uncovered }
}

// A failed test outweighs any number of passed ones. A gap may be settled by a decision record instead.
export const measureCoverage = (
  clauses: readonly Clause[],
  results: readonly TestResult[],
  decisions: string,
): AreaCoverage[] => {
  const areas = listAreas(clauses)
  const passed = namedBy(results, 'passed', areas)
  const failed = namedBy(results, 'failed', areas)
  const decided = new Set(findIds(decisions, areas))
  const isCovered = ({ id, gap }: Clause): boolean =>
    !failed.has(id) && (passed.has(id) || (gap && decided.has(id)))
  return areas.map((area) => {
    const own = clauses.filter((clause) => clause.area === area)
    return {
      area,
      clauses: tally(
        own.filter(({ gap }) => !gap),
        isCovered,
      ),
      gaps: tally(
        own.filter(({ gap }) => gap),
        isCovered,
      ),
    }
  })
}

export const findUnknownIds = (clauses: readonly Clause[], results: readonly TestResult[]): string[] => {
  const known = new Set(clauses.map(({ id }) => id))
  const areas = listAreas(clauses)
  return results.flatMap(({ title, fullName }) =>
    [...new Set([...findIds(fullName, areas), ...leadingIds(fullName), ...leadingIds(title)])]
      .filter((id) => !known.has(id))
      .map((id) => `${id} is no clause, in the title "${fullName}"`),
  )
}
