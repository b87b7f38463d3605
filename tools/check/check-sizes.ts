import { resolve } from 'node:path'
import { listTypeScript, readRepoFile, report, type Violation } from './repo-files.ts'

// Path to reason, for a file that is better long than split.
const allowedLong: Readonly<Record<string, string>> = {}

export type FileSize = { path: string; lines: number; limit: number }

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path)
const isGenerated = (path: string): boolean => /\.(gen|d)\.tsx?$/.test(path)

export const measureFiles = (root: string, paths: readonly string[]): FileSize[] =>
  paths
    .filter((path) => !isGenerated(path))
    .map((path) => {
      const lines = readRepoFile(root, path).replace(/\n$/, '').split('\n').length
      return { path, lines, limit: isTest(path) ? 600 : 400 }
    })

// Nearest rank: the smallest size that at least this share of the files stays within.
export const percentile = (sizes: readonly number[], share: number): number => {
  const sorted = [...sizes].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

export const checkSizes = (files: readonly FileSize[], allowed = allowedLong): Violation[] => {
  const long = files.filter(({ lines, limit }) => lines > limit)
  const unlisted = long.filter(({ path }) => !allowed[path]?.trim())
  const stale = Object.keys(allowed).filter((path) => !long.some((file) => file.path === path))
  return [
    ...unlisted.map(({ path, lines, limit }) => ({
      path,
      line: limit + 1,
      rule: 'size',
      message: `${lines} lines, limit ${limit}: split it by noun or list it with a reason`,
    })),
    ...stale.map((path) => ({
      path,
      line: 1,
      rule: 'size-list',
      message: 'listed as long, but is not; take it off the list',
    })),
  ]
}

export const summarize = (files: readonly FileSize[]): string => {
  const part = (name: string, chosen: readonly FileSize[]): string => {
    const sizes = chosen.map(({ lines }) => lines)
    const [median, p95, max] = [0.5, 0.95, 1].map((share) => percentile(sizes, share))
    return `${name} ${sizes.length} files, median ${median}, p95 ${p95}, max ${max}`
  }
  const sources = files.filter(({ path }) => !isTest(path))
  const tests = files.filter(({ path }) => isTest(path))
  return `sizes: ${part('all', files)}; ${part('sources', sources)}; ${part('tests', tests)}`
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '../..')
  const files = measureFiles(root, listTypeScript(root))
  process.exitCode = report(checkSizes(files), summarize(files))
}
