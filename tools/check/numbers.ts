import { basename } from 'node:path'
import { listRepoFiles, type Violation } from './repo-files.ts'

/** Folders whose files are counted: each takes the number after the last one. */
const counted = ['apps/server/migrations/*.sql', 'docs/decisions/*.md'] as const

/** Two branches take the same number, and both merge without a conflict. */
export const checkNumbers = (root: string): Violation[] =>
  counted.flatMap((pattern) => checkSequence(listRepoFiles(root, pattern)))

function checkSequence(paths: readonly string[]): Violation[] {
  const at = (path: string, message: string) => ({ path, line: 1, rule: 'number', message })
  const numbered = paths.map((path) => ({ path, number: /^(\d{4})[-_]/.exec(basename(path))?.[1] }))
  const numbers = numbered.map(({ number }) => Number(number)).filter((number) => !Number.isNaN(number))
  const taken = new Set<number>([0, ...numbers])
  return numbered.flatMap(({ path, number: text }): Violation[] => {
    if (text === undefined) return [at(path, 'its name does not begin with a number of four digits')]
    const number = Number(text)
    const next = String(Math.max(0, ...numbers) + 1).padStart(4, '0')
    const isTwice = numbered.find((other) => other.number === text)?.path !== path
    return [
      ...(isTwice ? [at(path, `${text} is taken; the next free number is ${next}`)] : []),
      ...(!isTwice && !taken.has(number - 1)
        ? [at(path, `there is no ${String(number - 1).padStart(4, '0')}`)]
        : []),
    ]
  })
}
