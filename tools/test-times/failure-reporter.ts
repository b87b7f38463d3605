import { mkdirSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from 'vitest/node'
import { type Failure, failureLines } from './failures.ts'

const root = resolve(import.meta.dirname, '../..')
const fileOf = (module: TestModule): string => relative(root, module.moduleId)

/**
 * Lists what failed, before the details of each failure, and in a file, which the gate prints last: its log is too long to
 * search, and may be cut off.
 */
export default class FailureReporter implements Reporter {
  readonly #file: string

  constructor({ file = '.reports/failed' }: { readonly file?: string } = {}) {
    this.#file = resolve(root, file)
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const failures = [
      ...modules.flatMap(failuresOf),
      ...unhandled.map((error) => ({ where: ['unhandled error'], message: error.message })),
    ]
    const list = failureLines(failures)
      .map((line) => `${line}\n`)
      .join('')
    mkdirSync(resolve(root, '.reports'), { recursive: true })
    writeFileSync(this.#file, list)
    if (list) console.log(`\nFailed:\n${list}`)
  }
}

function failuresOf(module: TestModule): Failure[] {
  const file = fileOf(module)
  const suites: (TestModule | TestSuite)[] = [module, ...module.children.allSuites()]
  return [
    // Errors of hooks and of loading belong to no test.
    ...suites.flatMap((suite) =>
      suite.errors().map(({ message }) => ({ where: titles(file, suite), message })),
    ),
    ...[...module.children.allTests('failed')].map((test) => ({
      where: [file, test.fullName],
      message: messageOf(test),
    })),
  ]
}

const titles = (file: string, suite: TestModule | TestSuite): string[] =>
  suite.type === 'module' ? [file] : [file, suite.fullName]

const messageOf = (test: TestCase): string => test.result().errors?.[0]?.message ?? ''
