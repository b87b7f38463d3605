import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type TestResult = { title: string; fullName: string; status: string }

type Report = { testResults?: { assertionResults?: TestResult[] }[] }

// Comma-separated paths, each of them a file or a glob, relative to root.
export const findReports = (root: string, pattern: string): string[] =>
  pattern
    .split(',')
    .map((each) => each.trim())
    .flatMap((each) => (existsSync(join(root, each)) ? [each] : globSync(each, { cwd: root }).sort()))

// A folder of reports may hold other JSON as well; what has no test results is not a test report.
export const readReports = (root: string, paths: readonly string[]): TestResult[] =>
  paths.flatMap((path) => {
    const report = JSON.parse(readFileSync(join(root, path), 'utf8')) as Report
    return (report.testResults ?? []).flatMap(({ assertionResults = [] }) => assertionResults)
  })
