import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Violation = { path: string; line: number; rule: string; message: string }

const git = (root: string, ...args: string[]): string[] =>
  execFileSync('git', ['ls-files', '-z', ...args], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
    .split('\0')
    .filter((path) => path !== '')

// Tracked and new files alike, so that a file is judged before its first commit and not after.
export const listRepoFiles = (root: string, ...patterns: string[]): string[] => {
  const deleted = new Set(git(root, '-d', '--', ...patterns))
  const listed = git(root, '-co', '--exclude-standard', '--', ...patterns)
  return [...new Set(listed)].filter((path) => !deleted.has(path)).sort()
}

export const listTypeScript = (root: string): string[] => listRepoFiles(root, '*.ts', '*.tsx')

// Walks the disk on its own: comparing git's list with itself would prove nothing about the scan.
export const walkTypeScript = (root: string, folder = ''): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isFile()) return /\.tsx?$/.test(entry.name) ? [path] : []
    const skipped = entry.name === 'node_modules' || entry.name === 'dist' || entry.name.startsWith('.')
    return entry.isDirectory() && !skipped ? walkTypeScript(root, path) : []
  })

export const readRepoFile = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')

const formatViolation = ({ path, line, rule, message }: Violation): string =>
  `${path}:${line} ${rule} ${message}`

export const report = (violations: readonly Violation[], summary: string): number => {
  for (const violation of violations) console.log(formatViolation(violation))
  console.log(summary)
  return violations.length === 0 ? 0 : 1
}
