import type { EmployeeTemplate } from '@crewhall/contracts/hires/template.ts'

/** Seconds until the next try. The last wait is repeated for as long as it takes: somebody has to mend the cause. */
const ladder = [30, 120, 600, 1800, 7200, 28_800] as const

export const waitAfter = (failures: number): number =>
  ladder[Math.min(Math.max(failures, 1), ladder.length) - 1] ?? ladder[0]

/** Ids alone, so that nobody can choose the path. */
export const directoryOf = (brand_id: number, hire_id: string) => ({
  folders: [String(brand_id), 'hires'],
  name: hire_id,
})

/** As sources name it, below the directory of the workspace. */
export const sourceDirectory = (hire_id: string, directory: string): string => `hires/${hire_id}/${directory}`

/** The template as the directory has it on its first day. */
export const contentOf = ({ files, memory_sources }: EmployeeTemplate) => ({
  files,
  folders: memory_sources.flatMap(({ directory }) => (directory === null ? [] : [directory.split('/')])),
})

/** The end of an id is random; its beginning is the time. */
export const agentIdsFor = (key: string, hire_id: string): readonly string[] => [
  key,
  `${key}-${hire_id.slice(-8)}`,
]
