import { readFileSync } from 'node:fs'

/** Prints how many tests of a report passed and failed. A file that could not run counts as a failure. */
interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[]
}

const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Report
const broken = report.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.length === 0,
)
console.log(`${report.numPassedTests} ${report.numFailedTests + broken.length}`)
