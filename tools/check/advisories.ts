import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { snapshotPath } from './advisory-check.ts'
import { askAdvisories } from './ask-advisories.ts'
import { readRepoFile } from './repo-files.ts'

/** Writes the snapshot of published advisories that the dependency check reads without a network. Commit it. */
const root = resolve(import.meta.dirname, '../..')
const registry = execFileSync('npm', ['config', 'get', 'registry'], { cwd: root, encoding: 'utf8' }).trim()
const lock = JSON.parse(readRepoFile(root, 'package-lock.json'))
try {
  const snapshot = await askAdvisories(registry, lock, new Date())
  writeFileSync(join(root, snapshotPath), `${JSON.stringify(snapshot, null, 2)}\n`)
  console.log(`advisories for ${Object.keys(snapshot.advisories).length} packages written to ${snapshotPath}`)
} catch (error) {
  console.log(`no new snapshot of advisories: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
