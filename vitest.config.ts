import { defineConfig } from 'vitest/config'

const common = { testTimeout: 30_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    reporters: ['default', ['json', { outputFile: '.reports/vitest.json' }]],
    globalSetup: ['packages/testkit/src/templates.ts'],
    // Most files wait for processes, leases and time limits: two at a time keep two cores busy.
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: ['{apps,packages,tools}/**/*.test.ts'],
          exclude: ['**/*.pg.test.ts', '**/node_modules/**'],
        },
      },
      { test: { ...common, name: 'slice', include: ['apps/**/*.pg.test.ts', 'packages/**/*.pg.test.ts'] } },
      {
        test: {
          ...common,
          name: 'conformance',
          include: ['conformance/**/*.test.ts'],
          exclude: ['conformance/faults/**'],
        },
      },
      {
        // Faults stop services that everything else uses, and jobs are measured: one file at a time, alone.
        test: {
          ...common,
          name: 'faults',
          include: ['conformance/faults/**/*.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          env: { VERIFY_DATA: 'true' },
        },
      },
    ],
  },
})
