import { defineConfig } from 'vitest/config'
import { LongFirst } from './tools/test-times/long-first.ts'

// Files share the modules of their worker: no file replaces a module, and loading them again costs half a second each.
const common = {
  // They end what would never end, on a slow machine too. Much longer than the limits that test servers have, so that a
  // refusal is seen as one.
  testTimeout: process.env.ROUNDS === 'full' ? 3_600_000 : 300_000,
  hookTimeout: 360_000,
  isolate: false,
  // One deep comparison must not bury the other failures of a run.
  diff: { truncateThreshold: 40 },
}

/** Their limits are seconds in which a process has to notice or take over. */
const measured = [
  'boards/batch-speed',
  'cli/start',
  'platform/faults/api-kill',
  'platform/faults/health',
  'platform/faults/jobs-latency',
].map((name) => `conformance/${name}.test.ts`)

export default defineConfig({
  test: {
    reporters: [
      // Before the details of failures.
      './tools/test-times/failure-reporter.ts',
      'default',
      ['json', { outputFile: '.reports/vitest.json' }],
      './tools/test-times/time-reporter.ts',
    ],
    // In this order: the second one starts programs.
    globalSetup: ['tools/build/bundle-programs.ts', 'packages/testkit/src/templates.ts'],
    // Many files wait for processes, leases and time limits: three at a time keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: ['{apps,bench,packages,tools}/**/*.test.ts'],
          exclude: ['**/*.pg.test.ts', '**/node_modules/**'],
        },
      },
      { test: { ...common, name: 'slice', include: ['apps/**/*.pg.test.ts', 'packages/**/*.pg.test.ts'] } },
      {
        test: {
          ...common,
          name: 'conformance',
          include: ['conformance/**/*.test.ts'],
          exclude: ['conformance/platform/faults/**', ...measured],
        },
      },
      {
        // They break services of their own, or the lines to the shared ones. Data is verified after each.
        test: {
          ...common,
          name: 'faults',
          include: ['conformance/platform/faults/**/*.test.ts'],
          exclude: measured,
          env: { VERIFY_DATA: 'true' },
        },
      },
      {
        // What is judged by the clock alone: one file at a time, when all others are done.
        test: {
          ...common,
          name: 'measured',
          include: measured,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          env: { VERIFY_DATA: 'true' },
        },
      },
    ],
  },
})
