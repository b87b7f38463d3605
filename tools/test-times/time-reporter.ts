import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { startFairShare } from '@crewhall/testkit/fair-time.ts'
import type { Reporter, TestModule } from 'vitest/node'
import { type FileTime, timesOfAreas } from './areas.ts'

const root = resolve(import.meta.dirname, '../..')
const shown = 25
// Elsewhere the machine is shared with other work, and the full run has other figures.
const isGate = process.env.CI === 'true' && process.env.ROUNDS !== 'full'

/**
 * Prints the slowest files and the time of each area, and fails the gate when an area exceeds its budget. What the host of
 * this machine gave to others meanwhile does not count.
 */
export default class TimeReporter implements Reporter {
  readonly #begun = new Map<string, () => number>()
  readonly #shares = new Map<string, number>()

  onTestModuleStart({ id }: TestModule): void {
    this.#begun.set(id, startFairShare())
  }

  onTestModuleEnd({ id }: TestModule): void {
    this.#shares.set(id, this.#begun.get(id)?.() ?? 1)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((each) => timeOf(each, this.#shares.get(each.id) ?? 1))
      .sort((a, b) => b.seconds - a.seconds)
    mkdirSync(resolve(root, '.reports'), { recursive: true })
    writeFileSync(resolve(root, '.reports/times.json'), `${JSON.stringify(files, null, 1)}\n`)
    // A run of a few files says its times already.
    if (files.length <= shown) return
    console.log(`\nSlowest of ${files.length} files:`)
    for (const { file, seconds } of files.slice(0, shown)) console.log(line(seconds, file))
    console.log('\nTime of each area, and its budget:')
    const areas = timesOfAreas(files)
    for (const { area, seconds, budget } of areas) console.log(line(seconds, `${area} (${budget ?? 'none'})`))
    const exceeded = areas.filter(({ is_exceeded }) => is_exceeded).map(({ area }) => area)
    if (exceeded.length === 0 || !isGate) return
    const verdict = `Over budget: ${exceeded.join(', ')}. See tools/test-times/budgets.ts.`
    console.log(`\n${verdict}`)
    appendFileSync(resolve(root, '.reports/failed'), `${verdict}\n`)
    process.exitCode = 1
  }
}

const line = (seconds: number, text: string) => `${seconds.toFixed(1).padStart(7)} s  ${text}`

function timeOf(module: TestModule, share: number): FileTime {
  const { duration, collectDuration, setupDuration, prepareDuration, environmentSetupDuration } =
    module.diagnostic()
  const total = duration + collectDuration + setupDuration + prepareDuration + environmentSetupDuration
  return {
    file: relative(root, module.moduleId),
    project: module.project.name,
    seconds: (total / 1000) * share,
  }
}
