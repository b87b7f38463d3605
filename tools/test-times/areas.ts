import { budgets } from './budgets.ts'

export interface FileTime {
  /** From the root of the repository. */
  readonly file: string
  readonly project: string
  readonly seconds: number
}

export interface AreaTime {
  readonly area: string
  readonly seconds: number
  readonly budget: number | undefined
  readonly is_exceeded: boolean
}

/** The folder of a file in conformance; everything else by its project. */
export const areaOf = ({ file, project }: FileTime): string =>
  /^conformance\/(?:.+\/)?([^/]+)\/[^/]+$/.exec(file)?.[1] ?? project

/** Slowest first. An area without a budget has exceeded it, so that a new one gets one. */
export function timesOfAreas(files: readonly FileTime[], allowed = budgets): AreaTime[] {
  const areas = Map.groupBy(files, areaOf)
  return [...areas]
    .map(([area, members]) => {
      const seconds = members.reduce((sum, each) => sum + each.seconds, 0)
      const budget = allowed[area]
      return { area, seconds, budget, is_exceeded: budget === undefined || seconds > budget }
    })
    .sort((a, b) => b.seconds - a.seconds)
}
