import { readFileSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'

/**
 * `second-look.ts REPORT` prints the files whose tests failed, if running them alone can tell more: few of them, and none
 * that has seen a lost update, a leak or lost work, because seeing that once is enough.
 * `second-look.ts REPORT SECOND` puts what the second run found in the place of what the first one did.
 */
interface File {
  readonly name: string
  readonly status: string
  readonly assertionResults: readonly { readonly status: string }[]
}
export interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly File[]
}

const most = 10
const sawEnough = /race|swap|isolation|canary|leak|kill|erasure/

export function secondLook(files: readonly string[]): readonly string[] {
  const isWorthwhile = files.length <= most && !files.some((file) => sawEnough.test(file))
  return isWorthwhile ? files : []
}

export function merged(first: Report, second: Report): Report {
  const again = new Map(second.testResults.map((file) => [file.name, file]))
  const testResults = first.testResults.map((file) => again.get(file.name) ?? file)
  const count = (status: string) =>
    testResults.flatMap((file) => file.assertionResults).filter((test) => test.status === status).length
  return { ...first, numPassedTests: count('passed'), numFailedTests: count('failed'), testResults }
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Report

if (process.argv[1] === import.meta.filename) {
  const [, , first = '', second] = process.argv
  const root = resolve(import.meta.dirname, '../..')
  if (second) writeFileSync(second, JSON.stringify(merged(read(first), read(second))))
  else {
    const failed = read(first).testResults.filter(({ status }) => status === 'failed')
    console.log(secondLook(failed.map(({ name }) => relative(root, name))).join('\n'))
  }
}
