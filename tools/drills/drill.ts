/** Does one part of a drill: returns what it found and a few words for the table, or throws why it failed. */
export type DrillCheck = <T>(
  name: string,
  work: () => Promise<readonly [T, string]>,
) => Promise<T | undefined>

export interface Drill {
  readonly name: string
  /** Why it cannot run here, or nothing. */
  obstacle(): Promise<string | undefined>
  /** The least size that it has; `usual` unless told. */
  readonly least?: DrillSize
  /** Checks that fail do not keep later ones from running. */
  run(check: DrillCheck, size: DrillSize): Promise<void>
}

/** What the gate has minutes for, what one table has 25 for, and all of it, before a release. */
export const drillSizes = ['short', 'usual', 'full'] as const
export type DrillSize = (typeof drillSizes)[number]

/** Those that have this size; of names that are asked for, all. */
export function chooseDrills(
  drills: readonly Drill[],
  size: DrillSize,
  names: readonly string[],
): readonly Drill[] {
  if (names.length > 0) return drills.filter(({ name }) => names.includes(name))
  return drills.filter(({ least = 'usual' }) => drillSizes.indexOf(least) <= drillSizes.indexOf(size))
}

export interface DrillRow {
  readonly drill: string
  readonly check: string
  readonly outcome: 'passed' | 'failed' | 'not run'
  readonly seconds: number
  readonly note: string
}

/** Runs drills one after the other; what cannot run is told, and is no success. */
export async function runDrills(
  drills: readonly Drill[],
  tell: (line: string) => void,
  size: DrillSize = 'usual',
): Promise<DrillRow[]> {
  const rows: DrillRow[] = []
  const add = (row: DrillRow) => {
    rows.push(row)
    tell(`${row.outcome}: ${row.drill}: ${row.check}${row.note ? ` (${row.note})` : ''}`)
  }
  for (const { name: drill, obstacle, run } of drills) {
    const began = performance.now()
    try {
      const why = await obstacle()
      if (why !== undefined) {
        add({ drill, check: 'all', outcome: 'not run', seconds: 0, note: why })
        continue
      }
      await run(async (check, work) => {
        const start = performance.now()
        const seconds = () => (performance.now() - start) / 1000
        try {
          const [found, note] = await work()
          add({ drill, check, outcome: 'passed', seconds: seconds(), note })
          return found
        } catch (error) {
          add({ drill, check, outcome: 'failed', seconds: seconds(), note: messageOf(error) })
          return undefined
        }
      }, size)
    } catch (error) {
      const seconds = (performance.now() - began) / 1000
      add({ drill, check: 'preparation', outcome: 'failed', seconds, note: messageOf(error) })
    }
  }
  return rows
}

/** With what was seen last where something did not come in time. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).trim()
  const { message, cause } = error
  return (cause instanceof Error ? `${message}: ${cause.message}` : message).trim()
}

/** One line for each check. Notes of several lines are told before. */
export function drillTable(rows: readonly DrillRow[]): string {
  const cells = rows.map(({ drill, check, outcome, seconds, note }) => [
    drill,
    check,
    outcome,
    `${seconds.toFixed(1)} s`,
    note.split('\n')[0] ?? '',
  ])
  const widths = [0, 1, 2, 3].map((at) => Math.max(0, ...cells.map((line) => line[at]?.length ?? 0)))
  return cells
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function countRows(rows: readonly DrillRow[]): string {
  const count = (outcome: DrillRow['outcome']) => rows.filter((row) => row.outcome === outcome).length
  const missing = count('not run')
  return `${count('passed')} passed, ${count('failed')} failed${missing > 0 ? `, ${missing} not run` : ''}`
}
