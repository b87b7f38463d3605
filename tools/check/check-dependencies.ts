import { existsSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { checkAdvisories, describeSnapshot, type Snapshot, snapshotPath } from './advisory-check.ts'
import { checkLeaks } from './leak-check.ts'
import { checkLock, countProduction, productionBudget } from './lock-check.ts'
import { checkManifest } from './manifest-check.ts'
import { listRepoFiles, readRepoFile, report, type Violation } from './repo-files.ts'

export type DependencyReport = {
  violations: Violation[]
  production: number
  scanned: number
  snapshot: Snapshot | undefined
}

const lockPath = 'package-lock.json'

export const checkDependencies = (root: string): DependencyReport => {
  const files = listRepoFiles(root).filter((path) => statSync(join(root, path)).isFile())
  const texts = files.map((path) => [path, readRepoFile(root, path)] as const)
  const lock = existsSync(join(root, lockPath)) ? readRepoFile(root, lockPath) : undefined
  const lockViolations =
    lock === undefined
      ? [
          {
            path: lockPath,
            line: 1,
            rule: 'lock',
            message: 'is missing, so nothing fixes what gets installed',
          },
        ]
      : checkLock(lock)
  const snapshot = existsSync(join(root, snapshotPath))
    ? (JSON.parse(readRepoFile(root, snapshotPath)) as Snapshot)
    : undefined
  const violations = [
    ...lockViolations,
    ...(snapshot && lock !== undefined ? checkAdvisories(JSON.parse(lock), snapshot) : []),
    ...texts.flatMap(([path, text]) => [
      ...(basename(path) === 'package.json' ? checkManifest(path, text) : []),
      ...checkLeaks(root, path, text),
    ]),
  ]
  return {
    violations,
    production: countProduction(JSON.parse(lock ?? '{}')),
    scanned: files.length,
    snapshot,
  }
}

if (import.meta.main) {
  const { violations, production, scanned, snapshot } = checkDependencies(
    resolve(import.meta.dirname, '../..'),
  )
  const counts = `${production} production packages of at most ${productionBudget}, ${scanned} files searched`
  console.log(`note: ${describeSnapshot(snapshot, new Date())}`)
  process.exitCode = report(violations, `dependencies: ${counts}, ${violations.length} violations`)
}
