import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { checkHistory } from './history-check.ts'
import { listRepoFiles, readRepoFile, report } from './repo-files.ts'
import { checkSecrets } from './secret-check.ts'

const root = resolve(import.meta.dirname, '../..')
const paths = listRepoFiles(root).filter((path) => statSync(join(root, path)).isFile())
const files = paths.map((path) => [path, readRepoFile(root, path)] as const)
const { violations: inHistory, commits } = checkHistory(root)
const violations = [...(await checkSecrets(files)), ...inHistory]
if (commits === undefined) console.log('note: history not searched: shallow clone')
const history = commits === undefined ? 'no history' : `${commits} commits`
process.exitCode = report(
  violations,
  `secrets: ${files.length} files, ${history}, ${violations.length} violations`,
)
