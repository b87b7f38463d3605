import { resolve } from 'node:path'
import { checkCycles } from './cycles.ts'
import { checkImports } from './import-check.ts'
import { checkNumbers } from './numbers.ts'
import { listTypeScript, report, type Violation, walkTypeScript } from './repo-files.ts'
import { listWorkspaces } from './resolve-import.ts'
import { scanFiles } from './scan.ts'
import { checkName, checkParsed, checkSchemas, checkUses } from './source-check.ts'

export type BoundaryReport = { violations: Violation[]; scanned: number; listed: number }

const checkScanned = (listed: readonly string[], scanned: ReadonlySet<string>): Violation[] => {
  const rule = 'not-scanned'
  if (listed.length === 0)
    return [{ path: '.', line: 1, rule, message: 'git lists no TypeScript file at all' }]
  return listed
    .filter((path) => !scanned.has(path))
    .map((path) => ({ path, line: 1, rule, message: 'git lists this file and the scan did not reach it' }))
}

export const checkBoundaries = (root: string, walk = walkTypeScript): BoundaryReport => {
  const listed = listTypeScript(root)
  const wanted = new Set(listed)
  const sources = scanFiles(
    root,
    walk(root).filter((path) => wanted.has(path)),
  )
  const workspaces = listWorkspaces(root)
  const violations = [
    ...checkScanned(listed, new Set(sources.map(({ path }) => path))),
    ...sources.flatMap((source) => [
      ...checkParsed(source),
      ...checkName(source),
      ...checkImports(source, workspaces),
      ...checkUses(source),
      ...checkSchemas(source),
    ]),
    ...checkCycles(sources, workspaces),
    ...checkNumbers(root),
  ]
  return { violations, scanned: sources.length, listed: listed.length }
}

if (import.meta.main) {
  const { violations, scanned, listed } = checkBoundaries(resolve(import.meta.dirname, '../..'))
  const summary = `boundaries: ${scanned} of ${listed} files scanned, ${violations.length} violations`
  process.exitCode = report(violations, summary)
}
