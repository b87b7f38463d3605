import { writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from 'vitest/node'
import type { TestOutcome } from './conformance-report.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Writes what became of each test, with the errors of the hooks around it, to the file that OUTCOMES names. */
export default class OutcomeReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const outcomes = [
      ...modules.flatMap(outcomesOf),
      ...unhandled.map(({ message }) => ({ title: 'unhandled error', state: 'failed', errors: [message] })),
    ]
    writeFileSync(process.env.OUTCOMES ?? '', JSON.stringify(outcomes))
  }
}

function outcomesOf(module: TestModule): TestOutcome[] {
  const file = relative(root, module.moduleId)
  const tests = [...module.children.allTests()].map((test) => ({
    title: `${file}: ${test.fullName}`,
    state: test.result().state,
    errors: [...errorsOf(test), ...errorsAround(test.parent)],
  }))
  // One that could not be loaded has no tests.
  return tests.length > 0
    ? tests
    : [{ title: file, state: module.state(), errors: messagesOf(module.errors()) }]
}

const messagesOf = (errors: readonly SerializedError[]): string[] => errors.map(({ message }) => message)
const errorsOf = (test: TestCase): string[] => messagesOf(test.result().errors ?? [])

function errorsAround(suite: TestModule | TestSuite): string[] {
  const own = messagesOf(suite.errors())
  return suite.type === 'module' ? own : [...own, ...errorsAround(suite.parent)]
}
