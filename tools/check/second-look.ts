import { readFileSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'

/**
 * `second-look.ts REPORT` prints the files whose tests failed, if running them alone can tell more: not too many of them, and
 * none that has seen a lost update, a leak or lost work, because seeing that once is enough. One of those that came to no
 * end in its time has seen nothing.
 * `second-look.ts REPORT SECOND` puts what the second run found in the place of what the first one did.
 */
interface File {
  readonly name: string
  readonly status: string
  /** Of a hook, or of loading. */
  readonly message?: string
  readonly assertionResults: readonly {
    readonly status: string
    readonly failureMessages?: readonly string[] | null
  }[]
}
export interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly File[]
}

const most = 25
const sawEnough = /race|swap|isolation|canary|leak|kill|erasure/
const timeLimit = /^(\w*Error: )?((Test|Hook) timed out in|not so within) \d+/

export function secondLook(failed: readonly File[]): readonly string[] {
  const isWorthwhile =
    failed.length <= most && failed.every((file) => !sawEnough.test(file.name) || isLate(file))
  return isWorthwhile ? failed.map(({ name }) => name) : []
}

function isLate({ message = '', assertionResults }: File): boolean {
  const messages = assertionResults.flatMap(({ status, failureMessages }) =>
    status === 'failed' ? (failureMessages ?? ['']) : [],
  )
  if (message !== '' || messages.length === 0) messages.push(message)
  return messages.every((each) => timeLimit.test(each))
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
    console.log(secondLook(failed.map((file) => ({ ...file, name: relative(root, file.name) }))).join('\n'))
  }
}
